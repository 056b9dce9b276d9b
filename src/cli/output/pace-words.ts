import { isTerminal, type Pace, paceOf, type ShownLoop } from '../../core/index.ts';

/** How a loop gets on, in one line, and what that suggests; nothing before there is something to tell. */
export function paceText(loop: ShownLoop): string | undefined {
  const { velocity, streak, recommendation } = paceOf(loop);
  if (velocity === null) return undefined;
  const still = streak === 0 ? '' : `, ${streak} ${streak === 1 ? 'iteration' : 'iterations'} without any`;
  const hint = isTerminal(loop.status) ? '' : `: ${advice[recommendation]}`;
  return `${velocity.toFixed(2)} of 1 on average in the newest five${still}${hint}`;
}

const advice: Readonly<Record<Pace['recommendation'], string>> = {
  continue: 'let it go on',
  monitor: 'keep an eye on it',
  consider_change: 'consider guidance or another task',
  stop: 'it gets nowhere; stop it',
};

import { isTerminal, type Pace } from '../../core/index.ts';
import type { Status } from '../../protocol/index.ts';

/** The recent progress of a loop and a recommendation, in one line; undefined before the first score. */
export function paceText({ velocity, streak, recommendation }: Pace, status: Status | 'idle'): string | undefined {
  if (velocity === null) return undefined;
  const stalled = streak === 0 ? '' : `, none for ${streak} ${streak === 1 ? 'iteration' : 'iterations'}`;
  const hint = isTerminal(status) ? '' : `: ${advice[recommendation]}`;
  return `${velocity.toFixed(2)} of 1 on average over the last five iterations${stalled}${hint}`;
}

const advice: Readonly<Record<Pace['recommendation'], string>> = {
  continue: 'let it continue',
  monitor: 'keep an eye on it',
  consider_change: 'consider giving guidance or changing the task',
  stop: 'no progress; stop it',
};

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

/** That the latest iterations hardly improved the result, in one line; undefined while they do. */
export function returnsText({ returns }: Pace, status: Status | 'idle'): string | undefined {
  if (returns === undefined || returns.trend === 'gaining') return undefined;
  const how = returns.trend === 'plateau' ? 'unchanged' : 'hardly changed';
  const hint = isTerminal(status) ? '' : '; consider guidance, another approach, or stopping';
  return `the checks give ${returns.score} of 100, ${how} since iteration ${returns.since ?? 1}${hint}`;
}

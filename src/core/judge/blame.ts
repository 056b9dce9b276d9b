import type { FailureClass } from '../../protocol/index.ts';
import type { CurrentAttempt } from '../loop/attempt.ts';
import type { Loop } from '../loop/loop.ts';
import { classify, wasCut } from './classify.ts';
import { judgeProgress } from './progress.ts';

/** Whom an attempt that has run is charged to; `undefined` when it worked. A turn in which nothing was done did not. */
export function blameFor(loop: Loop, current: CurrentAttempt): FailureClass | undefined {
  const { execution } = current;
  if (execution === undefined) return undefined;
  return classify(execution.outcome, execution.ending) ?? (didNothing(loop, current) ? 'agent' : undefined);
}

/** Silence alone is no failure: an agent may work without a word, and the work tree or the checks show that. */
function didNothing(loop: Loop, current: CurrentAttempt): boolean {
  const { execution, gate } = current;
  // One that was cut off has not chosen to be silent.
  if (execution?.empty !== true || wasCut(execution) || gate?.verdict === 'passed') return false;
  // Whatever counts as progress: a work tree that changed, or that nobody could look at, is not nothing.
  const { known, count, headMoved } = execution.changes;
  if (!known || count > 0 || headMoved) return false;
  return judgeProgress(loop, current).made === false;
}

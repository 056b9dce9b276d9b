import type { FailureClass } from '../../protocol/index.ts';
import { judgeProgress } from '../progress/progress.ts';
import { type CurrentAttempt, isProven } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';
import { classify, wasCut } from './classify.ts';

/** What is to blame for a failed attempt; `undefined` when it worked. A turn that did nothing counts as failed. */
export function blameFor(loop: Loop, current: CurrentAttempt): FailureClass | undefined {
  const { execution } = current;
  if (execution === undefined) return undefined;
  return classify(execution.outcome, execution.ending) ?? (didNothing(loop, current) ? 'agent' : undefined);
}

/** Silence alone is not a failure: an agent may work without output, and the work tree or the checks show that. */
function didNothing(loop: Loop, current: CurrentAttempt): boolean {
  const { execution } = current;
  // A run that was cut off did not choose to be silent.
  if (execution?.empty !== true || wasCut(execution) || isProven(current)) return false;
  // Whatever counts as progress: with a work tree that changed or could not be read, something may have been done.
  const { known, count, headMoved } = execution.changes;
  if (!known || count > 0 || headMoved) return false;
  return judgeProgress(loop, current).made === false;
}

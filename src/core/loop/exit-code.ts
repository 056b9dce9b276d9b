import { exitCodes } from '../../base/index.ts';
import { exitOf, type StopReason } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';
import type { LoopOutcome } from '../state/outcome.ts';

/** What the exit code depends on. */
interface ExitState {
  readonly status: Loop['status'];
  readonly outcome: Pick<LoopOutcome, 'reason'>;
}

/** The exit code of a command that drove this loop; the command line itself decides the code for a signal. */
export function exitCodeOf({ status, outcome: { reason } }: ExitState): number {
  switch (status) {
    case 'completed':
      return exitCodes.completed;
    case 'failed':
      // A loop that has ended does not need a person.
      return reason === undefined || reason === 'environment' || reason === 'user_pause'
        ? exitCodes.failed
        : codeOf(reason);
    case 'paused':
      return reason === undefined ? exitCodes.failed : codeOf(reason);
    case 'idle':
    case 'running':
    case 'completing':
    case 'aborted':
    case 'crashed':
      return exitCodes.failed;
  }
}

/** Whether a limit or a stop rule is the reason: the loop would not continue by itself. */
export function isRuledOut(reason: StopReason): boolean {
  const exit = exitOf(reason);
  return exit === 'limit' || exit === 'stopRule';
}

function codeOf(reason: StopReason): number {
  return exitCodes[exitOf(reason)];
}

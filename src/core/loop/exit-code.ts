import { exitCodes } from '../../base/index.ts';
import { type LimitReason, limitOf, type StopReason } from '../../protocol/index.ts';
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
      // A loop that has ended waits for nobody.
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
  const code = codeOf(reason);
  return code === exitCodes.limit || code === exitCodes.stopRule;
}

function codeOf(reason: StopReason): number {
  return isLimit(reason) ? exitCodes.limit : codeOfReason[reason];
}

function isLimit(reason: StopReason): reason is LimitReason {
  return limitOf(reason) !== undefined;
}

const codeOfReason: Record<Exclude<StopReason, LimitReason>, number> = {
  // Only the status tells whether a loop completed, never its reason.
  completed: exitCodes.failed,
  no_progress: exitCodes.stopRule,
  test_failures: exitCodes.stopRule,
  iteration_failures: exitCodes.stopRule,
  same_error: exitCodes.stopRule,
  pattern: exitCodes.stopRule,
  script: exitCodes.stopRule,
  condition: exitCodes.stopRule,
  user_abort: exitCodes.failed,
  user_pause: exitCodes.needsPerson,
  interrupted: exitCodes.interrupted,
  provider_limit: exitCodes.providerLimit,
  environment: exitCodes.needsPerson,
  configuration: exitCodes.configuration,
  recovery_failed: exitCodes.failed,
};

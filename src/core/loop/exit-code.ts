import { exitCodes } from '../../base/index.ts';
import type { StopReason } from '../../protocol/index.ts';
import type { Loop } from './loop.ts';

/** What a command that drove this loop exits with; a signal's own code is the command line's business. */
export function exitCodeOf({ status, reason }: Pick<Loop, 'status' | 'reason'>): number {
  switch (status) {
    case 'completed':
      return exitCodes.completed;
    case 'failed':
      // A loop that is over waits for nobody.
      return reason === undefined || reason === 'environment' || reason === 'user_pause'
        ? exitCodes.failed
        : codeOfReason[reason];
    case 'paused':
      return reason === undefined ? exitCodes.failed : codeOfReason[reason];
    case 'idle':
    case 'running':
    case 'completing':
    case 'aborted':
    case 'crashed':
      return exitCodes.failed;
  }
}

/** Whether a limit or a stop rule is the reason: the loop itself would not go on. */
export function isRuledOut(reason: StopReason): boolean {
  const code = codeOfReason[reason];
  return code === exitCodes.limit || code === exitCodes.stopRule;
}

const codeOfReason: Record<StopReason, number> = {
  // The status says whether a loop completed, never its reason.
  completed: exitCodes.failed,
  max_iterations: exitCodes.limit,
  max_time: exitCodes.limit,
  max_tokens: exitCodes.limit,
  max_output_tokens: exitCodes.limit,
  max_tool_calls: exitCodes.limit,
  max_cost: exitCodes.limit,
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

import { roughDuration } from '../../base/index.ts';
import type { Cause, NextStop } from '../../core/index.ts';
import { limitOf } from '../../protocol/index.ts';
import { leftText } from './limits.ts';
import { untilText } from './reasons.ts';
import { heldText } from './session.ts';

/** One reason for a loop's situation, as a clause. */
export function causeText(cause: Cause): string {
  switch (cause.kind) {
    case 'not_started':
      return 'nothing has been recorded yet';
    case 'nothing_to_verify':
      return 'there were no checks, and trustPromise is set';
    case 'message':
      return cause.text;
    case 'reason':
      return cause.reason === undefined ? 'no reason was recorded' : `the recorded reason is ${cause.reason}`;
    case 'no_message':
      return 'the agent gave no reason';
    case 'repeated':
      return `this happened ${cause.times} times in a row`;
    case 'requested':
      return requests[cause.request];
    case 'reboot_held':
      return heldText(cause.reboot);
    case 'next_stop':
      return nextStopText(cause);
    case 'wait_left':
      return `the provider's usage limit resets in ${roughDuration(cause.leftMs)}`;
    case 'completion':
      return cause.isVerified
        ? 'the checks prove that the task is done'
        : "the agent's claim is accepted without verification";
    case 'checks_passed':
      return `ralphd ran all checks itself${cause.iteration === undefined ? '' : ` after iteration ${cause.iteration}`}, and they passed`;
    case 'obstacle':
      return `the checks cannot run: ${cause.message}`;
    case 'proven_too_late':
      return `the checks passed after iteration ${cause.iteration}, but the budget was exceeded and is strict`;
    case 'stopped_at':
      return stoppedAtText(cause);
  }
}

const requests = {
  end: 'it was asked to end',
  pause: 'it was asked to pause',
  skip: 'it was asked to skip this iteration',
  reboot: 'it was asked for a new session',
} as const;

function stoppedAtText({ iteration, isAgentDone }: Extract<Cause, { kind: 'stopped_at' }>): string {
  if (iteration === undefined) return 'it was between two iterations';
  return `it was in iteration ${iteration}, ${isAgentDone ? 'after the agent had finished' : 'while the agent was working'}`;
}

/** What would make a rule stop the loop. */
function nextStopText({ standing, outcome, left }: NextStop): string {
  const { rule, near, evidence, description } = standing;
  const verb = outcome === 'pause' ? 'pauses' : 'ends';
  if (near !== null && near >= 1) return `it ${verb} before another iteration starts: ${evidence}`;
  if (description !== undefined) return `it ${verb} when ${description}: ${evidence}`;
  const limit = limitOf(rule);
  const until = limit === undefined || left === undefined ? untilText(rule, left) : leftText(limit, left);
  if (near === null || until === undefined) return `it ${verb} at the limit: ${evidence}`;
  return `it ${verb} after ${until}`;
}

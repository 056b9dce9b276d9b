import { roughDuration } from '../../base/index.ts';
import type { Situation } from '../../core/index.ts';
import { questionText, reasonsText } from './decisions.ts';
import { reasonText } from './reasons.ts';

/** What a loop is doing or how it ended, as one sentence. */
export function situationText(situation: Situation): string {
  switch (situation.kind) {
    case 'idle':
      return 'The loop has not started.';
    case 'completing':
      return 'The task is done; the loop is finishing its bookkeeping.';
    case 'rebooting':
      return 'The agent is getting a new session.';
    case 'working':
      return `Iteration ${situation.iteration} is running: ${stages[situation.stage]}.`;
    case 'waiting':
      return `Waiting another ${roughDuration(situation.leftMs)} ${waits[situation.cause]}.`;
    case 'asking':
      return `Waiting for a decision: ${questionText(situation)} (${reasonsText(situation.why)})`;
    case 'parked':
      return `No process runs the loop now; ${situation.leftMs === 0 ? 'it is due' : `it is due in ${roughDuration(situation.leftMs)}`}.`;
    case 'between':
      return situation.iteration === 0
        ? 'The first iteration is about to start.'
        : `Iteration ${situation.iteration} has ended; the next one is about to start.`;
    case 'paused':
      return `Paused: ${reasonText(situation.reason).what}.`;
    case 'checks_broken':
      return 'Paused: the checks cannot prove anything in their current state.';
    case 'checks_blocked':
      return `Paused: the checks cannot run: ${situation.message.trim().replace(/\.$/u, '')}.`;
    case 'failed':
      return `Failed: ${reasonText(situation.reason).what}.`;
    case 'aborted':
      return `Aborted: ${reasonText(situation.reason).what}.`;
    case 'crashed':
      return 'Crashed: its process died, and the loop was marked as crashed.';
    case 'owner_lost':
      return 'Its process died; nothing was lost.';
    case 'trusted':
      return "Completed: the agent's claim was accepted without verification.";
    case 'proven':
      return provenText(situation);
  }
}

const stages = {
  begun: 'it is being prepared',
  executing: 'the agent is working',
  executed: 'the agent has finished, and its work is being judged',
  verifying: 'the checks are running',
  verified: 'the checks have finished, and the iteration is being judged',
} as const;

const waits = {
  delay: 'until the next iteration',
  limit: "for the provider's usage limit to reset",
  environment: 'before retrying what failed',
  unknown: 'before retrying',
  rate: 'because of the bound on API calls per hour',
  schedule: 'for its schedule to allow an iteration',
  reboot: 'before trying again to start a new session',
} as const;

/** Never claims more than the checks prove: they may have passed before, or despite failing tests. */
function provenText({ failedTests, hadPassedBefore, isDoubtful }: Extract<Situation, { kind: 'proven' }>): string {
  const doubt = isDoubtful ? ', with reservations' : '';
  if (failedTests > 0) {
    return `Completed: every check exits with 0, although ${failedTests} ${failedTests === 1 ? 'test' : 'tests'} failed${doubt}.`;
  }
  if (hadPassedBefore) return `Completed: all checks pass, as they did before the first iteration${doubt}.`;
  return `Completed: the task is done, and the checks prove it${doubt}.`;
}

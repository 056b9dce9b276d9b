import type { LoopStatus } from '../../app/index.ts';
import type { LoopState } from '../../views/index.ts';
import type { ServerWords } from '../words.ts';

/** What a loop does, or how it ended, in one sentence that is true until a fact changes it. */
export function rowSentence({ view, owner }: LoopStatus, state: LoopState, words: Pick<ServerWords, 'reason'>): string {
  const { iteration, maxIterations, reason, current } = view;
  const place = `Iteration ${iteration}${maxIterations === 0 ? '' : ` of ${maxIterations}`}`;
  switch (state) {
    case 'starting':
      return 'It is starting.';
    case 'running':
      return current === undefined ? 'It is between two iterations.' : `${place}: ${stages[current.stage]}.`;
    case 'verifying':
      return current === undefined
        ? 'ralphd runs the checks before the first iteration.'
        : `${place}: ralphd runs the checks.`;
    case 'hosted':
      return 'It works in an interactive session.';
    case 'waiting':
      return view.wait === undefined || view.wait.message === '' ? 'It waits.' : `It waits: ${view.wait.message}.`;
    case 'parked':
      return 'No process runs it; it goes on when it is resumed.';
    case 'asking':
      return 'It waits for your decision.';
    case 'paused':
    case 'needs':
      return reason === undefined ? 'It is paused.' : `Paused: ${words.reason(reason)}.`;
    case 'crashed':
      return 'Its process died. Nothing was lost.';
    case 'frozen':
      return `Its process (${owner?.pid ?? 'unknown'}) is stopped: nothing happens until it continues.`;
    case 'proven':
      return `Proven: all checks pass (proof: ${view.proof}).`;
    case 'green':
      return 'The checks pass, as they did before the first iteration.';
    case 'claimed':
      return 'Claimed, not proven: only the agent says that it is done.';
    case 'stopped':
      return reason === undefined ? 'Stopped.' : `Stopped: ${words.reason(reason)}.`;
    case 'aborted':
      return 'Aborted. The work so far is in the work tree.';
  }
}

const stages = {
  begun: 'it is being prepared',
  executing: 'the agent is working',
  executed: 'its result is being judged',
  verifying: 'ralphd runs the checks',
  verified: 'its result is being judged',
} as const;

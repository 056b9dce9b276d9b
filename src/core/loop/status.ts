import type { LoopState, Phase, Status, TerminalStatus } from '../../protocol/index.ts';

const allowed: Record<Status, readonly Status[]> = {
  running: ['paused', 'completing', 'failed', 'aborted', 'crashed'],
  paused: ['running', 'aborted'],
  completing: ['completed', 'failed', 'crashed'],
  completed: [],
  failed: [],
  aborted: [],
  crashed: [],
};

/** Whether a loop may go from one status to another. */
export function canMove(from: Status, to: Status): boolean {
  return allowed[from].includes(to);
}

/** Whether a loop in this status never changes again. */
export function isTerminal(status: Status | 'idle'): status is TerminalStatus {
  return status === 'completed' || status === 'failed' || status === 'aborted' || status === 'crashed';
}

/** The runner's state for a status and phase. */
export function runnerState(status: Status | 'idle', phase: Phase): LoopState {
  switch (status) {
    case 'idle':
      return 'idle';
    case 'running':
      return phase === 'rebooting' ? 'rebooting' : 'running';
    case 'completing':
      return 'running';
    case 'paused':
      return 'paused';
    case 'completed':
      return 'completed';
    case 'aborted':
      return 'stopped';
    case 'failed':
    case 'crashed':
      return 'error';
  }
}

/** Whether the runner has ended permanently. */
export function isTerminalState(state: LoopState): boolean {
  return state === 'completed' || state === 'error' || state === 'stopped';
}

/** Whether the runner is at work. */
export function isActiveState(state: LoopState): boolean {
  return state === 'running' || state === 'rebooting';
}

/** Whether a runner in this state may be started. A loop that ended starts again only as a new loop. */
export function canStart(state: LoopState): boolean {
  return state === 'idle' || state === 'stopped' || state === 'error';
}

/** Whether a runner in this state may be paused. */
export function canPause(state: LoopState): boolean {
  return state === 'running';
}

/** Whether a runner in this state may be resumed. */
export function canResume(state: LoopState): boolean {
  return state === 'paused';
}

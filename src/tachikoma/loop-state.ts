import { canPause, canResume, canStart, isActiveState, isTerminalState } from '../core/index.ts';

/** The states of a loop runner, and what is possible in each. */
export const LoopState = {
  /** The loop has not started. */
  Idle: 'idle',
  /** The loop is at work. */
  Running: 'running',
  /** The loop is paused. */
  Paused: 'paused',
  /** The loop is changing to a fresh session. */
  Rebooting: 'rebooting',
  /** The task is done. */
  Completed: 'completed',
  /** The loop failed: a limit, a stop rule or an error ended it. */
  Error: 'error',
  /** A user stopped the loop. */
  Stopped: 'stopped',
  /** Whether the loop has ended: completed, error or stopped. */
  isTerminal: (state: LoopState): boolean => isTerminalState(state),
  /** Whether the loop is at work: running or rebooting. */
  isActive: (state: LoopState): boolean => isActiveState(state),
  /** Whether the loop can be started: from idle, and as a new loop from stopped and error. */
  canStart: (state: LoopState): boolean => canStart(state),
  /** Whether the loop can be paused: while it is running. */
  canPause: (state: LoopState): boolean => canPause(state),
  /** Whether the loop can be resumed: while it is paused. */
  canResume: (state: LoopState): boolean => canResume(state),
} as const;

/** The state of a loop runner. */
export type LoopState = 'idle' | 'running' | 'paused' | 'rebooting' | 'completed' | 'error' | 'stopped';

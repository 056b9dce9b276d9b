import type { CurrentAttempt } from './attempt.ts';

/** Which iteration a loop is at. */
export interface LoopPosition {
  /** Number of the latest iteration that was started; 0 before the first. */
  readonly iteration: number;
  /** Attempts made at that iteration. */
  readonly attempt: number;
  /** Number of finished iterations that count. */
  readonly finished: number;
  readonly current?: CurrentAttempt;
  /** The latest iteration completed the task: proven by the checks, or trusted. */
  readonly earned?: 'verified' | 'trusted';
}

/** Before the first iteration. */
export const beforeFirst: LoopPosition = { iteration: 0, attempt: 0, finished: 0 };

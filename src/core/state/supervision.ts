import type { AskReason, Mode, QuestionPoint } from '../../protocol/index.ts';

/** What a loop asks a person. */
export interface Question {
  readonly point: QuestionPoint;
  /** The iteration to start, or the one that completes the task. */
  readonly iteration: number;
  readonly why: readonly AskReason[];
  readonly askedAt: string;
  /** When the loop continues by itself. */
  readonly approveAt?: string;
  /** The owner that asked: the next one asks anew, with the whole time for the decision. */
  readonly epoch: number;
}

/** The part that a person has in a loop. */
export interface Supervision {
  /** The mode that a command or a trigger set; otherwise the settings decide. */
  readonly mode?: Mode;
  readonly question?: Question;
  /** What was decided last: the same is not asked again. */
  readonly approved?: Pick<Question, 'point' | 'iteration'>;
  /** The iteration that a person decided to skip. */
  readonly skips?: number;
  /** Replaces the task in the approved iteration. */
  readonly prompt?: string;
  /** The finished iterations and changed files at the last decision. */
  readonly decidedAt: { readonly iteration: number; readonly files: number };
  /** The latest iteration has more failing tests than the one before. */
  readonly regressed?: true;
  /** Patterns in the agent's latest output that make a hybrid loop ask. */
  readonly marks?: readonly string[];
}

/** Nobody has been asked. */
export const notSupervised: Supervision = { decidedAt: { iteration: 0, files: 0 } };

import type { AskReason, Breakpoint, Mode, NoteKind, QuestionPoint, Sender } from '../../protocol/index.ts';

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

/** What a person wrote down about a loop, for people. */
export interface PersonNote {
  readonly kind: NoteKind;
  readonly text: string;
  readonly at: string;
  /** How many iterations had finished. */
  readonly iteration: number;
  readonly sender?: Sender;
}

/** How many of a person's notes a loop keeps in its state; the journal keeps all of them. */
export const maxPersonNotes = 50;

/** What an iteration changed, so that it can be undone. */
export interface IterationWork {
  readonly iteration: number;
  /** The git trees before its first attempt and after its last one. */
  readonly trees: { readonly before: string; readonly after: string };
}

/** The part that a person has in a loop. */
export interface Supervision {
  /** The mode that a command or a trigger set; otherwise the settings decide. */
  readonly mode?: Mode;
  /** When a command, a trigger or the schedule set the mode. */
  readonly modeSince?: string;
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
  /** The breakpoints, once a command has changed them; otherwise the settings decide. */
  readonly breakpoints?: readonly Breakpoint[];
  /** The newest notes of people. */
  readonly notes?: readonly PersonNote[];
  /** What the latest iteration changed in git. */
  readonly work?: IterationWork;
}

/** Nobody has been asked. */
export const notSupervised: Supervision = { decidedAt: { iteration: 0, files: 0 } };

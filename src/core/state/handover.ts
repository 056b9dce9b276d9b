import { type Notes, noNotes } from './notes.ts';

/** The agent's own summary of one iteration. */
export interface Summary {
  readonly iteration: number;
  readonly text: string;
}

/** The result of an iteration, for the templates of later prompts. */
export interface LastResult {
  readonly success: boolean;
  /** The first of the files that it changed. */
  readonly files: readonly string[];
  readonly tests?: { readonly passed: number; readonly failed: number };
  readonly summary?: string;
}

/** What one session leaves for the next. */
export interface Handover {
  /** The agent's own summaries, newest last. */
  readonly summaries: readonly Summary[];
  /** Its notes for later iterations. */
  readonly notes: Notes;
  /** The files that the loop changed last, newest last. */
  readonly touchedFiles: readonly string[];
  /** Missing before the first iteration that counts. */
  readonly lastResult?: LastResult;
}

/** Nothing to hand over. */
export const nothingToHandOver: Handover = { summaries: [], notes: noNotes, touchedFiles: [] };

/** How many of the agent's summaries stay in the state. */
export const maxSummaries = 5;
/** How many names of changed files stay in the state. */
export const maxTouchedFiles = 200;
/** How many files of the latest result stay in the state. */
export const maxResultFiles = 50;

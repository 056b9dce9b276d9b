import { type Notes, noNotes } from './notes.ts';

/** The agent's own summary of one iteration. */
export interface Summary {
  readonly iteration: number;
  readonly text: string;
}

/** What one session leaves for the next. */
export interface Handover {
  /** The agent's own summaries, newest last. */
  readonly summaries: readonly Summary[];
  /** Its notes for later iterations. */
  readonly notes: Notes;
  /** The files that the loop changed last, newest last. */
  readonly touchedFiles: readonly string[];
}

/** Nothing to hand over. */
export const nothingToHandOver: Handover = { summaries: [], notes: noNotes, touchedFiles: [] };

/** How many of the agent's summaries stay in the state. */
export const maxSummaries = 5;
/** How many names of changed files stay in the state. */
export const maxTouchedFiles = 200;

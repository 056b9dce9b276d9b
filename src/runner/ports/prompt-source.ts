import type { ProgressNotes, PromptPart } from '../../core/index.ts';

/** Reads the task again for each iteration. */
export interface PromptSource {
  /** In pieces: only the built-in variables of every prompt are still to be filled in. */
  read(): Promise<readonly PromptPart[]>;
  /** The notes for the next run, without secrets; undefined if there are none. */
  notes?(): ProgressNotes | undefined;
}

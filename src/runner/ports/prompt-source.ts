import type { ProgressNotes, UnfilledPrompt } from '../../core/index.ts';

/** Reads the task again for each iteration. */
export interface PromptSource {
  /** Only the built-in variables of every prompt are still to be filled in. */
  read(): Promise<UnfilledPrompt>;
  /** The notes for the next run, without secrets; undefined if there are none. */
  notes?(): ProgressNotes | undefined;
}

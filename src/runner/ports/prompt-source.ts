import type { PromptPart } from '../../core/index.ts';

/** Reads the task again for each iteration. */
export interface PromptSource {
  /** In pieces: only the built-in variables of every prompt are still to be filled in. */
  read(): Promise<readonly PromptPart[]>;
}

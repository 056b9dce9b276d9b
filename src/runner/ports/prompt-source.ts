import type { PromptPart } from '../../core/index.ts';

/** Reads the task again for each iteration. */
export interface PromptSource {
  /** In pieces: only the variables that every prompt has still wait for their values. */
  read(): Promise<readonly PromptPart[]>;
}

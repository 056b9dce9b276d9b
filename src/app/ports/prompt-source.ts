import { failures, LoopError } from '../../base/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import type { PromptSource } from '../../runner/index.ts';
import { findPromptFile, readPromptFile } from '../../workspace/index.ts';

/** The task: a text that never changes, or a file that is read afresh for every iteration. */
export function createPromptSource(config: LoopConfig, workingDirectory: string): PromptSource {
  const { prompt, promptPath } = config;
  return {
    async read() {
      if (prompt === undefined) return await readPromptFile(await findPromptFile(workingDirectory, promptPath));
      if (prompt.trim() === '') throw new LoopError(failures.promptEmpty('the command line'));
      return prompt;
    },
  };
}

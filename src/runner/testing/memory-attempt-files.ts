import type { AttemptKey } from '../ports/attempt.ts';
import type { AttemptFiles } from '../ports/attempt-files.ts';

/** The files of attempts in memory: no agent can be pointed at them, and they outlive their owner. */
export function createMemoryAttemptFiles(): AttemptFiles {
  const prompts = new Map<string, string>();
  const folderOf = ({ iteration, attempt }: AttemptKey) => `/attempts/${iteration}/${attempt}`;
  return {
    folderOf,
    keepPrompt: async (key, prompt) => void prompts.set(folderOf(key), prompt),
    readPrompt: async (key) => prompts.get(folderOf(key)) ?? '',
  };
}

import type { AttemptKey } from './attempt.ts';

/**
 * The files of a loop's runs on the machine that runs its agent: prompts, output, states of the work tree. They are
 * evidence and help to adopt an agent, but are not part of the loop's durable state.
 */
export interface AttemptFiles {
  /** The folder for the files of one attempt, created if needed. */
  folderOf(key: AttemptKey): string;
  /** Keeps the prompt of an attempt where the agent and people find it. */
  keepPrompt(key: AttemptKey, prompt: string): Promise<void>;
  /** The stored prompt of an attempt, or the end of a long one; empty if there is none. */
  readPrompt(key: AttemptKey): Promise<string>;
}

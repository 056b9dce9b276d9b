import type { AttemptKey } from './attempt.ts';

/**
 * What the runs of one loop leave on the machine that runs its agent: prompts, output, states of the work tree. They
 * are evidence and help to go on with an agent, and no part of the loop's durable state.
 */
export interface AttemptFiles {
  /** The folder for the files of one attempt, made if need be. */
  folderOf(key: AttemptKey): string;
  /** Keeps the prompt of an attempt where the agent and people find it. */
  keepPrompt(key: AttemptKey, prompt: string): Promise<void>;
  /** The prompt of an attempt, or the end of a long one, as its files have it; empty when there is none. */
  readPrompt(key: AttemptKey): Promise<string>;
}

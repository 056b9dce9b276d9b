import { stat } from 'node:fs/promises';
import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { type ReadText, readText, UnreadableText } from './read-text.ts';

const defaultNames = ['PROMPT.md', 'prompt.md'];

/** The prompt file of a project: the one that is named, else the first default name that exists. */
export async function findPromptFile(folder: string, named: string | undefined): Promise<string> {
  if (named !== undefined) return path.resolve(folder, named);
  for (const name of defaultNames) {
    const file = path.join(folder, name);
    if (await isThere(file)) return file;
  }
  throw new LoopError(failures.promptMissing(folder));
}

/** Reads a prompt file; what is wrong with it is said with its path and cause. */
export async function readPromptFile(file: string): Promise<ReadText> {
  try {
    return await readText(file);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    throw new LoopError(failures.promptUnreadable(file, error.message), { cause: error });
  }
}

/** What a file is called in messages: as seen from the working directory, unless it is elsewhere. */
export function nameOf(file: string, workingDirectory: string): string {
  const relative = path.relative(workingDirectory, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

async function isThere(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

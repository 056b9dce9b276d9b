import { stat } from 'node:fs/promises';
import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import {
  maxPromptBytes,
  OversizedText,
  promptSizeLimit,
  type ReadText,
  readText,
  UnreadableText,
} from './read-text.ts';

const defaultNames = ['PROMPT.md', 'prompt.md'];

/** The prompt file of a project: the given one, or else the first default name that exists. */
export async function findPromptFile(folder: string, named: string | undefined): Promise<string> {
  if (named !== undefined) return path.resolve(folder, named);
  for (const name of defaultNames) {
    const file = path.join(folder, name);
    if (await exists(file)) return file;
  }
  throw new LoopError(failures.promptMissing(folder));
}

/** Reads a prompt file; the failure names its path and the cause. */
export async function readPromptFile(file: string): Promise<ReadText> {
  try {
    return await readText(file);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    if (error instanceof OversizedText) throw tooLarge(file, `${error.bytes} bytes`);
    throw new LoopError(failures.promptUnreadable(file, error.message), { cause: error });
  }
}

/** Refuses a prompt that its variables make too large; `bytes` counts each value as often as it is used. */
export function assertPromptSize(name: string, bytes: number): void {
  if (bytes > maxPromptBytes) throw tooLarge(name, `${bytes} bytes with the values of its variables`);
}

function tooLarge(name: string, size: string): LoopError {
  return new LoopError(failures.promptTooLarge(name, size, promptSizeLimit));
}

/** The name of a file in messages: relative to the working directory when it is inside it. */
export function nameOf(file: string, workingDirectory: string): string {
  const relative = path.relative(workingDirectory, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';

const largestPrompt = 8 * 1024 * 1024;
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
export async function readPromptFile(file: string): Promise<string> {
  const text = await readFileOrRefuse(file);
  if (text.trim() === '') throw new LoopError(failures.promptEmpty(file));
  return text;
}

async function readFileOrRefuse(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size <= largestPrompt) return await readFile(file, 'utf8');
  } catch (error) {
    throw new LoopError(failures.promptUnreadable(file, reasonOf(error)), { cause: error });
  }
  throw new LoopError(failures.promptUnreadable(file, `it is larger than ${largestPrompt} bytes`));
}

async function isThere(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission is denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}

import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { failures, LoopError } from '../base/index.ts';
import { reasonOf } from './disk-errors.ts';

/** Where a file of another program really is, after all links. Fails if there is none. */
export function resolveForeignFile(file: string): string {
  return orUnreadable(file, () => realpathSync(file));
}

/** What is at a path of another program, links followed; undefined if there is nothing. */
export function lookAtForeign(file: string): 'file' | 'folder' | 'other' | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile()) return 'file';
  if (found?.isDirectory()) return 'folder';
  return found === undefined ? undefined : 'other';
}

/** Reads a file of another program, links followed; refuses anything else, and files above `limit` bytes. */
export function readForeignFile(file: string, limit: number): Buffer {
  return orUnreadable(file, () => {
    const found = statSync(file);
    if (!found.isFile()) throw new LoopError(failures.fileUnreadable(file, 'it is not a file'));
    if (found.size > limit) throw new LoopError(failures.fileUnreadable(file, `it has more than ${limit} bytes`));
    return readFileSync(file);
  });
}

/** The names in a folder of another program, in order; empty if there is none. */
export function listForeignFolder(folder: string): readonly string[] {
  if (lookAtForeign(folder) !== 'folder') return [];
  return orUnreadable(folder, () => readdirSync(folder).sort());
}

function orUnreadable<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof LoopError || !(error instanceof Error && 'code' in error)) throw error;
    throw new LoopError(failures.fileUnreadable(file, reasonOf(error)), { cause: error });
  }
}

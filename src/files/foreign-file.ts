import { readFileSync, statSync } from 'node:fs';
import { failures, LoopError } from '../base/index.ts';

/** Reads a file of another program, links followed; refuses anything else, and files above `limit` bytes. */
export function readForeignFile(file: string, limit: number): Buffer {
  return orUnreadable(file, () => {
    const found = statSync(file);
    if (!found.isFile()) throw new LoopError(failures.fileUnreadable(file, 'it is not a file'));
    if (found.size > limit) throw new LoopError(failures.fileUnreadable(file, `it has more than ${limit} bytes`));
    return readFileSync(file);
  });
}

function orUnreadable<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof LoopError || !(error instanceof Error && 'code' in error)) throw error;
    throw new LoopError(failures.fileUnreadable(file, error.message), { cause: error });
  }
}

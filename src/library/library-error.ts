import { LoopError } from '../base/index.ts';
import { libraryHints } from './hints.ts';

/** The same error with a hint for a program; anything else as it is. */
export function forPrograms(error: unknown): unknown {
  if (!(error instanceof LoopError)) return error;
  const hint = libraryHints[error.code];
  if (hint === undefined) return error;
  const phrased = new LoopError({ ...error.failure, hint }, { cause: error.cause });
  if (error.stack !== undefined) phrased.stack = error.stack;
  return phrased;
}

/** Does a thing for a program: errors that it should see have hints that it can follow. */
export async function inLibrary<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    throw forPrograms(error);
  }
}

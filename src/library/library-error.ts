import { LoopError } from '../base/index.ts';
import { libraryHints } from './hints.ts';

/** A `LoopError` with a hint for programs; any other error unchanged. */
export function forPrograms(error: unknown): unknown {
  if (!(error instanceof LoopError)) return error;
  const hint = libraryHints[error.code];
  if (hint === undefined) return error;
  const phrased = new LoopError({ ...error.failure, hint }, { cause: error.cause });
  if (error.stack !== undefined) phrased.stack = error.stack;
  return phrased;
}

/** Runs an action for a program, with hints for programs in its errors. */
export async function inLibrary<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    throw forPrograms(error);
  }
}

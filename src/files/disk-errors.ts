import { failures, LoopError } from '../base/index.ts';

/** The system's error code (`ENOENT`, `ENOSPC`, …), if the error has one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Runs one step that changes the disk; a system error becomes a failure that names the path. */
export function writing<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw writeError(path, error);
  }
}

/** Runs one step that reads the disk; a system error becomes a failure that names the path. */
export function reading<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof LoopError) throw error;
    if (isLink(error)) throw new LoopError(failures.unsafePath(path, 'a symbolic link'), { cause: error });
    throw new LoopError(failures.stateUnreadable(path, reason(error)), { cause: error });
  }
}

/** Runs a clean-up step whose failure does not matter. */
export function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // The caller is already reporting something worse, or the leftover is harmless.
  }
}

function writeError(path: string, error: unknown): LoopError {
  if (error instanceof LoopError) return error;
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new LoopError(failures.diskFull(path), { cause: error });
  if (isLink(error)) return new LoopError(failures.unsafePath(path, 'a symbolic link'), { cause: error });
  return new LoopError(failures.stateWriteFailed(path, reason(error)), { cause: error });
}

// O_NOFOLLOW fails with ELOOP on Linux and macOS, with EMLINK on some BSDs.
function isLink(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ELOOP' || code === 'EMLINK';
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission is denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ELOOP: 'its symbolic links go in a circle',
  ENAMETOOLONG: 'its name is too long',
  ENXIO: 'it is not a regular file',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
  ERR_INVALID_ARG_VALUE: 'its name contains an invalid character',
};

/** Why a file cannot be read, in words that complete "cannot be read: …". */
export function reasonOf(error: unknown): string {
  return reasons[errorCode(error) ?? ''] ?? reason(error);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

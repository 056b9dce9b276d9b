import { failures, LoopError } from '../base/index.ts';
import { errorCode } from '../files/index.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  ENOENT: 'one of its parent folders cannot be created',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
};

const refusals: ReadonlySet<string> = new Set(['STATE_UNREADABLE', 'STATE_WRITE_FAILED']);

/**
 * Creates a loop in a state folder. Until `create` reports that the loop exists, an unwritable folder is a wrong choice
 * of folder, not damage to a loop.
 */
export async function createIn<Result>(
  root: string,
  create: (reportCreated: () => void) => Promise<Result>,
): Promise<Result> {
  let isCreated = false;
  try {
    return await create(() => {
      isCreated = true;
    });
  } catch (error) {
    if (isCreated || !(error instanceof LoopError) || !refusals.has(error.failure.code)) throw error;
    throw new LoopError(failures.stateDirNotWritable(root, whyNotWritten(error)), { cause: error });
  }
}

/** Why something could not be created, as the end of a sentence. */
export function whyNotWritten(error: LoopError): string {
  return reasons[errorCode(error.cause) ?? ''] ?? error.failure.message.replace(/\.$/, '');
}

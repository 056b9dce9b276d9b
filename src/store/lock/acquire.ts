import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { errorCode, type FileInfo, type FilePort, look, lookSafely, reading, writing } from '../../files/index.ts';
import type { LockPort } from './lock-port.ts';
import { readOwner } from './owner.ts';

/** Ownership of a loop. */
export interface Ownership extends Disposable {
  /** Throws when the lock file is not the one that was locked: then another process may own the loop. */
  verify(): void;
  release(): void;
}

/** Which loop to lock, and with what. */
export interface LockRequest {
  readonly files: FilePort;
  readonly lock: LockPort;
  readonly loopId: string;
  readonly folder: string;
}

/** Becomes the only owner of a loop, without waiting; the refusal names the current owner. */
export function acquireLock(request: LockRequest): Ownership {
  const { files, loopId, folder } = request;
  const file = path.join(folder, 'lock');
  const locked = lookedAt(files, file);
  const held = reading(file, () => request.lock.tryHold(file));
  if (!held) throw new LoopError(failures.loopLocked(loopId, readOwner(files, folder)));

  let isHeld = true;
  const release = () => {
    if (isHeld) held.release();
    isHeld = false;
  };
  const verify = () => {
    if (!isHeld) throw new Error(`Loop ${loopId} was closed.`);
    if (!isSame(locked, look(files, file))) throw new LoopError(failures.ownershipLost(loopId, file));
  };
  try {
    verify();
  } catch (error) {
    release();
    throw error;
  }
  return { verify, release, [Symbol.dispose]: release };
}

function lookedAt(files: FilePort, file: string): FileInfo {
  const found = lookSafely(files, file, 'file');
  if (found) return found;
  writing(file, () => {
    try {
      files.close(files.create(file));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  });
  const made = lookSafely(files, file, 'file');
  if (!made) throw new LoopError(failures.stateWriteFailed(file, 'it disappeared while it was being created'));
  return made;
}

function isSame(locked: FileInfo, found: FileInfo | undefined): boolean {
  return found?.kind === 'file' && found.inode === locked.inode && found.device === locked.device;
}

import type { HeldLock, LockPort } from './lock-port.ts';

const busy = 5;

/**
 * The kernel's own file lock, reached through SQLite: an open `BEGIN EXCLUSIVE` holds it, and the kernel frees it
 * with the process. The file stays empty. Nothing else in this process may ever open the lock file: closing any
 * other descriptor to it would drop the lock (POSIX).
 */
export const sqliteLock: LockPort = {
  tryHold(path): HeldLock | undefined {
    const { DatabaseSync } = loadSqlite();
    const database = new DatabaseSync(path);
    try {
      // No journal file next to the lock.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
    return { release: () => database.close() };
  },
};

// Loaded on first use, so that commands that only read do not pay for it.
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // Node 22 warns on loading; the few calls used here are stable
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === busy;
}

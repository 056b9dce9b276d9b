import type { ProcessRow } from './process-row.ts';
import { isRunning } from './table.ts';

/** Signals a whole group; false when it has no members. Only for a group whose first process is not collected yet. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  return send(-groupId, signal);
}

/** Whether this user may signal a process at all. */
export function maySignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !isDenied(error);
  }
}

/** Signals exactly this process, never another one that has reused its number. */
export function signalProcess(row: Pick<ProcessRow, 'pid' | 'startTime'>, signal: NodeJS.Signals): void {
  if (isRunning(row)) send(row.pid, signal);
}

// The target may end before it is signalled: false. One that we may not signal still exists: true.
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return isDenied(error);
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPERM';
}

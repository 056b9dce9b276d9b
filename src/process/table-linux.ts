import { readdirSync, readFileSync } from 'node:fs';
import { carriesMarker, MARKER_VARIABLE } from './marker.ts';
import type { ProcessRow, ProcessTable } from './process-row.ts';

/** The process table as Linux shows it under /proc. */
export const linuxTable: ProcessTable = {
  bootId: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
  read: readRow,
  inGroup: (groupId) => rows().filter((row) => row.groupId === groupId && !row.zombie),
  marked: (marker) =>
    pids()
      .filter((pid) => pid !== process.pid && hasMarker(pid, marker))
      .map(readRow)
      .filter((row) => row !== undefined && !row.zombie) as ProcessRow[],
};

const ASSIGNMENT = Buffer.from(`${MARKER_VARIABLE}=`);

function pids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function rows(): ProcessRow[] {
  return pids()
    .map(readRow)
    .filter((row) => row !== undefined);
}

function readRow(pid: number): ProcessRow | undefined {
  const text = readIfThere(`/proc/${pid}/stat`)?.toString('latin1');
  return text === undefined ? undefined : parseStat(pid, text);
}

/** Reads one `/proc/<pid>/stat` line; the program's name in it may hold blanks and brackets. */
export function parseStat(pid: number, text: string): ProcessRow | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  const startTime = fields[19];
  if (state === undefined || group === undefined || startTime === undefined) return undefined;
  return { pid, groupId: Number(group), startTime, zombie: state === 'Z' || state === 'X' };
}

function hasMarker(pid: number, marker: string): boolean {
  const environment = readIfThere(`/proc/${pid}/environ`);
  if (environment === undefined) return false;
  return environmentCarries(environment, marker);
}

/** Whether a NUL-separated environment block carries the marker. */
export function environmentCarries(environment: Buffer, marker: string): boolean {
  let at = environment.indexOf(ASSIGNMENT);
  while (at !== -1) {
    const end = environment.indexOf(0, at);
    const value = environment.toString('latin1', at + ASSIGNMENT.length, end === -1 ? environment.length : end);
    const isWholeName = at === 0 || environment[at - 1] === 0;
    if (isWholeName && carriesMarker(value, marker)) return true;
    at = environment.indexOf(ASSIGNMENT, at + ASSIGNMENT.length);
  }
  return false;
}

// Processes end while we look at them, and those of other users can't be read: neither is an error.
function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

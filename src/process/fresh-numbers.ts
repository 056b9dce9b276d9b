import { readFileSync } from 'node:fs';

/** The kernel's current position in assigning process ids. */
export interface Numbering {
  readonly lastPid: number;
  /** Processes and threads started since boot. */
  readonly forks: number;
  readonly maxPid: number;
}

const maxCandidates = 256;

/** Reads the current position; undefined if the system does not reveal it. */
export function readNumbering(): Numbering | undefined {
  try {
    const lastPid = Number(/ (\d+)\n$/.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1]);
    const forks = Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1]);
    const maxPid = Number(readFileSync('/proc/sys/kernel/pid_max', 'latin1'));
    return Number.isNaN(lastPid + forks + maxPid) ? undefined : { lastPid, forks, maxPid };
  } catch {
    return undefined;
  }
}

/**
 * The ids assigned between two moments, if there are few; undefined if they cannot be determined. `witness` is the id
 * of a process that started in between: if it is not among them, the system assigns ids differently.
 */
export function freshNumbers(
  before: Numbering | undefined,
  now: Numbering | undefined,
  witness: number,
): readonly number[] | undefined {
  if (before === undefined || now === undefined) return undefined;
  // Ids are assigned in ascending order and wrap around; after a wrap the range would miss some.
  if (now.forks - before.forks >= now.maxPid / 4) return undefined;
  const count = now.lastPid - before.lastPid;
  if (count <= 0 || count > maxCandidates) return undefined;
  if (witness <= before.lastPid || witness > now.lastPid) return undefined;
  return Array.from({ length: count }, (_, index) => before.lastPid + 1 + index);
}

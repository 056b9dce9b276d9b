import { readFileSync } from 'node:fs';

/** How far the kernel has come in giving out process numbers. */
export interface Numbering {
  readonly lastPid: number;
  /** Processes and threads that were started since the machine started. */
  readonly forks: number;
  readonly maxPid: number;
}

const maxCandidates = 256;

/** Reads the present numbering; undefined where the system does not reveal it. */
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
 * The numbers given out between two moments, if there are few; undefined where they may be others. `witness` is the number
 * of a process that started in between: where it is not among them, the system counts in another way.
 */
export function freshNumbers(
  before: Numbering | undefined,
  now: Numbering | undefined,
  witness: number,
): readonly number[] | undefined {
  if (before === undefined || now === undefined) return undefined;
  // Numbers are given out in ascending order and start again from below: after that, the range would miss some.
  if (now.forks - before.forks >= now.maxPid / 4) return undefined;
  const count = now.lastPid - before.lastPid;
  if (count <= 0 || count > maxCandidates) return undefined;
  if (witness <= before.lastPid || witness > now.lastPid) return undefined;
  return Array.from({ length: count }, (_, index) => before.lastPid + 1 + index);
}

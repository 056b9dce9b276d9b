import { readProc } from './read-proc.ts';

/** The kernel's current position in assigning process ids. */
export interface Numbering {
  readonly lastPid: number;
  /** Processes and threads started since boot. */
  readonly forks: number;
  readonly maxPid: number;
}

/** Reads the current position; undefined if the system does not reveal it. What hardly ever changes is taken from an earlier one. */
export function readNumbering(earlier?: Numbering): Numbering | undefined {
  const lastPid = Number(/ (\d+)\n$/.exec(textOf('/proc/loadavg'))?.[1]);
  const forks = Number(/^processes (\d+)$/m.exec(textOf('/proc/stat'))?.[1]);
  const maxPid = earlier?.maxPid ?? Number.parseInt(textOf('/proc/sys/kernel/pid_max'), 10);
  return Number.isNaN(lastPid + forks + maxPid) ? undefined : { lastPid, forks, maxPid };
}

function textOf(path: string): string {
  return readProc(path)?.toString('latin1') ?? '';
}

/**
 * The last id that was assigned before a moment, if every process that started since has a higher one; undefined if that
 * cannot be determined. `witness` is the id of a process that started since: if it is not among the new ones, the system
 * assigns ids differently.
 */
export function lastBefore(
  before: Numbering | undefined,
  now: Numbering | undefined,
  witness: number,
): number | undefined {
  if (before === undefined || now === undefined) return undefined;
  // Ids are assigned in ascending order and wrap around; after a wrap, new ones may be below.
  if (now.forks - before.forks >= now.maxPid / 4 || now.lastPid <= before.lastPid) return undefined;
  if (witness <= before.lastPid || witness > now.lastPid) return undefined;
  return before.lastPid;
}

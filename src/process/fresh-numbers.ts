import { readProc } from './read-proc.ts';

/** The kernel's current position in assigning process ids. */
export interface Numbering {
  readonly lastPid: number;
  /** Processes and threads started since boot. */
  readonly forks: number;
  readonly maxPid: number;
}

let latest: { readonly numbering: Numbering | undefined; readonly atMs: number } | undefined;
const recentMs = 2_000;

/** A position at or shortly before this moment: whatever starts from now on is numbered after it. */
export function recentNumbering(): Numbering | undefined {
  return latest !== undefined && performance.now() - latest.atMs < recentMs ? latest.numbering : readNumbering();
}

/** Reads the current position; undefined if the system does not reveal it. */
export function readNumbering(): Numbering | undefined {
  const lastPid = Number(/ (\d+)\n$/.exec(textOf('/proc/loadavg'))?.[1]);
  const forks = Number(/^processes (\d+)$/m.exec(textOf('/proc/stat'))?.[1]);
  // It hardly ever changes.
  const maxPid = latest?.numbering?.maxPid ?? Number.parseInt(textOf('/proc/sys/kernel/pid_max'), 10);
  const numbering = Number.isNaN(lastPid + forks + maxPid) ? undefined : { lastPid, forks, maxPid };
  latest = { numbering, atMs: performance.now() };
  return numbering;
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

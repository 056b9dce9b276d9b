import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { lastBefore, type Numbering, readNumbering, recentNumbering } from './fresh-numbers.ts';
import { carriesMarker, markerVariable } from './marker.ts';
import type { ProcessRow, ProcessTable } from './process-row.ts';
import { readProc } from './read-proc.ts';

/** The process table as Linux shows it under /proc. */
export const linuxTable: ProcessTable = {
  bootId: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
  read: readRow,
  ageMs: ({ startTime }) =>
    1_000 * Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) - tickMs * Number(startTime),
  ownMemory,
  all: rows,
  inGroup: (groupId) => rows().filter((row) => row.groupId === groupId && !row.zombie),
  writingTo,
  marked: (marker, variable = markerVariable) => markedAmong(pids(), marker, variable),
  fromNow: () => {
    const before = recentNumbering();
    return {
      all: (witness) => rowsOf(pidsSince(before, witness)),
      marked: (marker, witness) => markedAmong(pidsSince(before, witness), marker, markerVariable),
    };
  },
};

// The kernel counts processor time in hundredths of a second, whatever its own clock does.
const tickMs = 10;

// The kernel counts memory in pages, whose size differs between machines; each process is told it at its start.
let pageBytes: number | undefined;

function memoryOf(pages = '0'): number {
  pageBytes ??= readPageBytes();
  return pageBytes * Number(pages);
}

function readPageBytes(): number {
  const usual = 4_096;
  const pageSizeEntry = 6n;
  try {
    const entries = readFileSync('/proc/self/auxv');
    const at = [...entries.keys()].find(
      (index) => index % 16 === 0 && index + 16 <= entries.length && entries.readBigUInt64LE(index) === pageSizeEntry,
    );
    return at === undefined ? usual : Number(entries.readBigUInt64LE(at + 8));
  } catch {
    return usual;
  }
}

function ownMemory(pid: number): number | undefined {
  const text = readProc(`/proc/${pid}/smaps_rollup`)?.toString('latin1') ?? '';
  const [, kibibytes] = /^Pss: +(\d+) kB$/mu.exec(text) ?? [];
  return kibibytes === undefined ? undefined : 1_024 * Number(kibibytes);
}

function markedAmong(candidates: readonly number[], marker: string, variable: string): ProcessRow[] {
  return candidates
    .filter((pid) => pid !== process.pid && hasMarker(pid, marker, variable))
    .map(readRow)
    .filter((row) => row !== undefined && !row.zombie) as ProcessRow[];
}

function writingTo(readers: readonly ProcessRow[]): ProcessRow[] {
  const own = new Set([process.pid, ...readers.map(({ pid }) => pid)]);
  // Only what a keeper itself reads from: it may have inherited other pipes, which are nobody's business.
  const inputs = readers.flatMap(({ pid }) => [linkIfThere(`/proc/${pid}/fd/0`), linkIfThere(`/proc/${pid}/fd/1`)]);
  const pipes = new Set(inputs.filter((link) => isPipe(link)));
  const writes = (pid: number) => openFiles(pid).some((file) => pipes.has(linkIfThere(`/proc/${pid}/fd/${file}`)));
  return pids()
    .filter((pid) => !own.has(pid) && pipes.size > 0 && writes(pid))
    .map(readRow)
    .filter((row) => row !== undefined);
}

function isPipe(link: string | undefined): boolean {
  return link?.startsWith('pipe:') === true;
}

function openFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

function linkIfThere(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function pids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** Listed, not counted up: a system that reveals the newest number late hides nothing that way. */
function pidsSince(before: Numbering | undefined, witness: number): number[] {
  const last = lastBefore(before, readNumbering(), witness);
  return last === undefined ? pids() : pids().filter((pid) => pid > last);
}

function rows(): ProcessRow[] {
  return rowsOf(pids());
}

function rowsOf(candidates: readonly number[]): ProcessRow[] {
  return candidates.map(readRow).filter((row) => row !== undefined);
}

function readRow(pid: number): ProcessRow | undefined {
  const text = readProc(`/proc/${pid}/stat`)?.toString('latin1');
  return text === undefined ? undefined : parseStat(pid, text);
}

/** Reads one `/proc/<pid>/stat` line; the program's name in it may contain spaces and parentheses. */
export function parseStat(pid: number, text: string): ProcessRow | undefined {
  const nameEnd = text.lastIndexOf(')');
  const fields = text.slice(nameEnd + 2).split(' ');
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === undefined || group === undefined || startTime === undefined) return undefined;
  return {
    pid,
    parentId: Number(parent),
    groupId: Number(group),
    name: text.slice(text.indexOf('(') + 1, nameEnd),
    startTime,
    cpuMs: tickMs * fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0),
    memoryBytes: memoryOf(fields[21]),
    working: state === 'R' || state === 'D',
    stopped: state === 'T' || state === 't',
    zombie: state === 'Z' || state === 'X',
  };
}

function hasMarker(pid: number, marker: string, variable: string): boolean {
  const environment = readProc(`/proc/${pid}/environ`);
  if (environment === undefined) return false;
  return environmentCarries(environment, marker, variable);
}

/** Whether a NUL-separated environment block carries the marker in that variable. */
export function environmentCarries(environment: Buffer, marker: string, variable = markerVariable): boolean {
  const assignment = Buffer.from(`${variable}=`);
  let at = environment.indexOf(assignment);
  while (at !== -1) {
    const end = environment.indexOf(0, at);
    const value = environment.toString('latin1', at + assignment.length, end === -1 ? environment.length : end);
    const isWholeName = at === 0 || environment[at - 1] === 0;
    if (isWholeName && carriesMarker(value, marker)) return true;
    at = environment.indexOf(assignment, at + assignment.length);
  }
  return false;
}

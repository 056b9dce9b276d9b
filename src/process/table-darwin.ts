import { carriesMarker, markerVariable } from './marker.ts';
import type { ProcessRow, ProcessTable } from './process-row.ts';

const rowFormat = 'pid=,ppid=,pgid=,rss=,stat=,time=,lstart=,ucomm=';
const rowPattern =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+([\d:.]+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d{4})\s+(.*?)\s*$/;
const maxOutputBytes = 64 * 1024 * 1024;

/** The process table as macOS shows it through `ps`. */
export const darwinTable: ProcessTable = {
  bootId: () => output('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']).trim(),
  read: (pid) => parseRows(output('/bin/ps', ['-o', rowFormat, '-p', String(pid)]))[0],
  ageMs: () => undefined,
  ownMemory: () => undefined,
  all: allRows,
  writingTo: () => [],
  inGroup: (groupId) => allRows().filter((row) => row.groupId === groupId && !row.zombie),
  marked,
  fromNow: () => ({ all: allRows, marked: (marker) => marked(marker) }),
};

function marked(marker: string, variable?: string): ProcessRow[] {
  const pids = parseMarked(output('/bin/ps', ['-axEww', '-o', 'pid=,command=']), marker, variable);
  return allRows().filter((row) => pids.has(row.pid) && row.pid !== process.pid && !row.zombie);
}

function allRows(): ProcessRow[] {
  return parseRows(output('/bin/ps', ['-ax', '-o', rowFormat]));
}

/** Reads `ps -o pid=,ppid=,pgid=,rss=,stat=,time=,lstart=,ucomm=`. */
export function parseRows(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, kibibytes, state, time, startTime, name] = rowPattern.exec(line) ?? [];
    if (state === undefined || time === undefined || startTime === undefined || name === undefined) return [];
    const states = { working: /^[RU]/.test(state), stopped: state.startsWith('T'), zombie: state.startsWith('Z') };
    const numbers = { pid: Number(pid), parentId: Number(parent), groupId: Number(group) };
    const memoryBytes = 1_024 * Number(kibibytes);
    return [{ ...numbers, name, startTime, cpuMs: milliseconds(time), memoryBytes, ...states }];
  });
}

/** Reads a processor time such as `1:02:03.45`. */
function milliseconds(time: string): number {
  return Math.round(1_000 * time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0));
}

/** Reads `ps -E -o pid=,command=`, where the environment follows the command line. */
export function parseMarked(text: string, marker: string, variable = markerVariable): Set<number> {
  const assignment = new RegExp(`\\s${variable}=(\\S+)`, 'g');
  const found = new Set<number>();
  for (const line of text.split('\n')) {
    const values = [...line.matchAll(assignment)];
    if (values.some(([, value]) => carriesMarker(value ?? '', marker))) found.add(Number.parseInt(line, 10));
  }
  return found;
}

// A fixed locale: the start time is text, and it must be the same for every caller.
// Loaded on first use: on Linux a command that only shows loops never needs it.
function output(file: string, args: readonly string[]): string {
  const { stdout } = process.getBuiltinModule('node:child_process').spawnSync(file, args, {
    encoding: 'utf8',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    maxBuffer: maxOutputBytes,
  });
  return stdout ?? '';
}

import { carriesMarker, MARKER_VARIABLE } from './marker.ts';
import type { ProcessRow, ProcessTable } from './process-row.ts';

const ROW = 'pid=,pgid=,stat=,lstart=';
const ASSIGNMENT = new RegExp(`\\s${MARKER_VARIABLE}=(\\S+)`, 'g');
const OUTPUT_LIMIT = 64 * 1024 * 1024;

/** The process table as macOS shows it through `ps`. */
export const darwinTable: ProcessTable = {
  bootId: () => output('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']).trim(),
  read: (pid) => parseRows(output('/bin/ps', ['-o', ROW, '-p', String(pid)]))[0],
  inGroup: (groupId) => allRows().filter((row) => row.groupId === groupId && !row.zombie),
  marked: (marker) => {
    const pids = parseMarked(output('/bin/ps', ['-axEww', '-o', 'pid=,command=']), marker);
    return allRows().filter((row) => pids.has(row.pid) && row.pid !== process.pid && !row.zombie);
  },
};

function allRows(): ProcessRow[] {
  return parseRows(output('/bin/ps', ['-ax', '-o', ROW]));
}

/** Reads `ps -o pid=,pgid=,stat=,lstart=`. */
export function parseRows(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, group, state, startTime] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (state === undefined || startTime === undefined) return [];
    return [{ pid: Number(pid), groupId: Number(group), startTime, zombie: state.startsWith('Z') }];
  });
}

/** Reads `ps -E -o pid=,command=`, where the environment follows the command line. */
export function parseMarked(text: string, marker: string): Set<number> {
  const found = new Set<number>();
  for (const line of text.split('\n')) {
    const values = [...line.matchAll(ASSIGNMENT)];
    if (values.some(([, value]) => carriesMarker(value ?? '', marker))) found.add(Number.parseInt(line, 10));
  }
  return found;
}

// A fixed locale: the start time is text, and it must come out the same for every caller.
// Loaded on first use: on Linux a command that only looks at loops never needs it.
function output(file: string, args: readonly string[]): string {
  const { stdout } = process.getBuiltinModule('node:child_process').spawnSync(file, args, {
    encoding: 'utf8',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    maxBuffer: OUTPUT_LIMIT,
  });
  return stdout ?? '';
}

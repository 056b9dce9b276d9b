import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The ids of all living processes that work in a folder or name it in their arguments or their environment. */
export function processesAround(folder: string): readonly number[] {
  const found = process.platform === 'linux' ? fromProc(folder) : fromPs(folder);
  return found.filter((pid) => pid !== process.pid);
}

/** Kills all of them, repeatedly, because a process may start another one meanwhile. */
export function killAround(folder: string): void {
  const maxRounds = 200;
  for (let round = 0; round < maxRounds; round += 1) {
    const found = processesAround(folder);
    if (found.length === 0) return;
    for (const pid of found) killQuietly(pid);
    // Blocks on purpose: nothing new may start here before all of it is gone.
    Atomics.wait(pause, 0, 0, pauseMs);
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));
const pauseMs = 10;

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function fromProc(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && isAround(`/proc/${name}`, folder))
    .map(Number);
}

function isAround(entry: string, folder: string): boolean {
  const stat = orElse('', () => readFileSync(`${entry}/stat`, 'latin1'));
  const state = stat.charAt(stat.lastIndexOf(')') + 2);
  if (state === '' || state === 'Z' || state === 'X') return false;
  const traces = [
    () => readlinkSync(`${entry}/cwd`),
    () => readFileSync(`${entry}/cmdline`, 'latin1'),
    () => readFileSync(`${entry}/environ`, 'latin1'),
  ];
  return traces.some((read) => orElse('', read).includes(folder));
}

// The environment follows the command line.
function fromPs(folder: string): readonly number[] {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const { stdout } = spawnSync('/bin/ps', ['-axEww', '-o', 'pid=,stat=,command='], options);
  return stdout
    .split('\n')
    .filter((line) => line.includes(folder) && !/^\s*\d+\s+Z/u.test(line))
    .map((line) => Number.parseInt(line, 10));
}

// A process may end meanwhile, and those of other users cannot be read.
function orElse(otherwise: string, read: () => string): string {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

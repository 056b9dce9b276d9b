import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessRow } from './process-row.ts';
import { signalProcess } from './signals.ts';
import { isRunning, processTable } from './table.ts';

// About eleven seconds: a process that waits for a slow disk or frees a lot of memory ends slowly.
const maxRounds = 60;
const maxPauseMs = 200;

interface SweepOptions {
  /** Names of programs that may keep running. */
  readonly keep?: readonly string[] | undefined;
  /** Finds what carries the marker; all processes are searched when left out. */
  readonly findMarked?: (() => readonly ProcessRow[]) | undefined;
}

/**
 * Kills what carries the marker and what is named explicitly, until none of it runs any more. Returns the numbers of what
 * could not be ended; normally empty.
 */
export async function sweep(
  marker: string,
  known: readonly ProcessRow[] = [],
  { keep = [], findMarked = () => processTable.marked(marker) }: SweepOptions = {},
): Promise<number[]> {
  const find = () => [...known.filter(isRunning), ...findMarked()];
  return await killAll(() => find().filter(({ name }) => !keep.includes(name)));
}

/** Kills what is found, repeatedly, until nothing is found; returns the numbers of what could not be ended. */
export async function killAll(find: () => readonly ProcessRow[]): Promise<number[]> {
  let clean = true;
  for (let round = 0; ; round += 1) {
    const found = [...new Map(find().map((row) => [row.pid, row])).values()];
    if (found.length === 0 && clean) return [];
    if (round === maxRounds) return found.map((row) => row.pid);
    for (const row of found) signalProcess(row, 'SIGKILL');
    // A process in the middle of exec shows no environment: after a find, a single empty search proves nothing.
    clean = found.length === 0;
    await delay(Math.min(10 * 2 ** round, maxPauseMs));
  }
}

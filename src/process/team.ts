import { keeperVariable } from './keeper.ts';
import type { ProcessRow } from './process-row.ts';
import { signalProcess } from './signals.ts';
import { killAll } from './sweep.ts';
import { isRunning, processTable } from './table.ts';
import { holdsWithin } from './waiting.ts';

const usualMs = 200;
const quietMs = 2_000;
// A process that only looks busy (any process may carry the keeper's marker) is not waited for forever.
const maxWaits = 30;

/** What to wait for when a keeper is released. */
export interface Draining {
  /** Whether the keeper and its pumps are gone, or go within that time. */
  readonly isOverWithin: (ms: number) => Promise<boolean>;
  readonly outputBytes: () => number;
  /** Names of programs that may keep running. */
  readonly keep?: readonly string[] | undefined;
}

/** The keeper of an attempt, its pumps and its leash. */
export function findTeam(marker: string): readonly ProcessRow[] {
  return processTable.marked(marker, keeperVariable);
}

/** Continues processes that were stopped: a stopped keeper reports nothing, and a stopped pump writes nothing. */
export function wake(rows: readonly ProcessRow[]): void {
  for (const row of rows) if (row.stopped) signalProcess(row, 'SIGCONT');
}

/** Kills the keeper of an attempt with all that belongs to it; returns what could not be ended. */
export async function endTeam(marker: string): Promise<number[]> {
  return await killAll(() => findTeam(marker));
}

/** Ends the keeper of an attempt that no ralphd is connected to, but lets it write what it has. */
export async function dismissTeam(marker: string, draining: Partial<Draining> = {}): Promise<number[]> {
  const team = findTeam(marker);
  const isOverWithin = (ms: number) => holdsWithin(() => !team.some(isRunning), ms);
  const left = await drain(marker, { isOverWithin, outputBytes: () => 0, ...draining });
  return [...left, ...(await endTeam(marker))];
}

/**
 * Waits until the pumps have written everything: they end by themselves when no process can write any more. A process that
 * still can has escaped every other search and is killed; one that cannot be found is not waited for once nothing
 * arrives and no pump has anything to do. Returns what could not be ended.
 */
export async function drain(marker: string, { isOverWithin, outputBytes, keep = [] }: Draining): Promise<number[]> {
  if (await isOverWithin(usualMs)) return [];
  wake(findTeam(marker));
  const left = await killAll(() => processTable.writingTo(findTeam(marker)).filter(({ name }) => !keep.includes(name)));
  const isBusy = () => findTeam(marker).some(({ working }) => working);
  let before = -1;
  for (let waits = 0; before !== outputBytes() || (waits < maxWaits && isBusy()); waits += 1) {
    before = outputBytes();
    if (await isOverWithin(quietMs)) return left;
  }
  return [...left, ...(await endTeam(marker))];
}

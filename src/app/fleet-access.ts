import type { AccountLimits, FleetStatus, Migrated, PrunableLoop } from '../fleet/index.ts';
import type { AppContext } from './agent-programs.ts';
import type { CheckRow } from './finding.ts';
import type { FleetCopy } from './fleet/fleet-copy.ts';
import type { NewSubmission, Repeating } from './fleet/submit.ts';
import type { WorkerOptions } from './fleet/worker.ts';
import { thisMachine } from './machine.ts';

// Each loads the database's client on demand: loops of one machine need none.

const patience = { patienceMs: 10_000 };

export type { FleetCopy };

/** Opens the copy of a fleet's loops, up to date. */
export async function openFleetCopy(address: string, context: Pick<AppContext, 'cwd' | 'env'>): Promise<FleetCopy> {
  const copy = await import('./fleet/fleet-copy.ts');
  return await copy.openFleetCopy(address, context);
}

/** Drives loops of a fleet until it is told to stop. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const worker = await import('./fleet/worker.ts');
  await worker.runWorker(options);
}

/** Queues a loop for whichever worker can drive it, once or again and again; returns its id or that of the schedule. */
export async function submitLoop(address: string, submission: NewSubmission, repeating?: Repeating): Promise<string> {
  const [{ openFleet }, submit] = await Promise.all([import('../fleet/index.ts'), import('./fleet/submit.ts')]);
  await using fleet = openFleet(address, { connections: 1 });
  await fleet.assertReady(patience);
  if (repeating !== undefined) return await submit.scheduleLoop(fleet, submission, repeating);
  return await submit.submitLoop(fleet, submission);
}

/** Workers, loops and accounts of a fleet. */
export async function readFleetStatus(address: string): Promise<FleetStatus> {
  const { openFleet } = await import('../fleet/index.ts');
  await using fleet = openFleet(address, { connections: 1 });
  await fleet.assertReady(patience);
  return await fleet.status(patience);
}

/** What is right and wrong with a fleet, with a fix for each finding. Changes nothing. */
export async function examineFleet(address: string): Promise<readonly CheckRow[]> {
  const [{ openFleet }, exam] = await Promise.all([import('../fleet/index.ts'), import('./fleet/examine-fleet.ts')]);
  await using fleet = openFleet(address, { connections: 1 });
  try {
    await fleet.assertReady(patience);
    const status = await fleet.status(patience);
    const before = thisMachine.clock.nowMs();
    const health = await fleet.health(patience);
    const nowMs = (before + thisMachine.clock.nowMs()) / 2;
    return exam.fleetRows({ place: fleet.address.place, status, health, nowMs });
  } catch (error) {
    return [exam.unreachableRow(error)];
  }
}

/** Ended loops that are removed, or would be. */
export interface PruneReport {
  readonly removed: readonly PrunableLoop[];
  readonly isDone: boolean;
}

const mostPruned = 10_000;

/** Lists the loops that ended longer ago than this, and removes them if that was asked for. */
export async function pruneFleet(
  address: string,
  { olderMs, isConfirmed }: { readonly olderMs: number; readonly isConfirmed: boolean },
): Promise<PruneReport> {
  const { openFleet } = await import('../fleet/index.ts');
  await using fleet = openFleet(address, { connections: 1, statementMs: 120_000 });
  await fleet.assertReady(patience);
  const listed = await fleet.prunable(olderMs, mostPruned, patience);
  if (!isConfirmed) return { removed: listed, isDone: false };
  const removed: string[] = [];
  // A hundred at a time: nobody waits for one long transaction.
  for (;;) {
    const pruned = await fleet.prune(olderMs, 100, patience);
    removed.push(...pruned);
    if (pruned.length < 100) break;
  }
  return { removed: listed.filter(({ loop }) => removed.includes(loop)), isDone: true };
}

/** From now on workers remove ended loops after this long; never, for null. */
export async function keepLoops(address: string, ms: number | null): Promise<void> {
  const { openFleet } = await import('../fleet/index.ts');
  await using fleet = openFleet(address, { connections: 1 });
  await fleet.assertReady(patience);
  await fleet.keepFor(ms, patience);
}

/** Brings the schema of a fleet up to date. */
export async function migrateFleet(address: string): Promise<Migrated> {
  const fleet = await import('../fleet/index.ts');
  return await fleet.migrateFleet(fleet.parseFleetAddress(address));
}

/** Changes the limits of an account. */
export async function limitAccount(address: string, name: string, limits: AccountLimits): Promise<void> {
  const { openFleet } = await import('../fleet/index.ts');
  await using fleet = openFleet(address, { connections: 1 });
  await fleet.assertReady(patience);
  await fleet.limitAccount(name, limits, patience);
}

/** Queues a loop again that was set aside; false if there is none of this id. */
export async function requeueLoop(address: string, loopId: string): Promise<boolean> {
  const { openFleet } = await import('../fleet/index.ts');
  await using fleet = openFleet(address, { connections: 1 });
  await fleet.assertReady(patience);
  return await fleet.requeue(loopId, patience);
}

/** Takes back a loop that no worker has started; false if there is none of this id. */
export async function withdrawLoop(address: string, loopId: string): Promise<boolean> {
  const { openFleet } = await import('../fleet/index.ts');
  await using fleet = openFleet(address, { connections: 1 });
  await fleet.assertReady(patience);
  return await fleet.withdraw(loopId, patience);
}

/** Leaves a lost worker out from now on, by the first eight characters of its id; false if none is lost. */
export async function forgetWorker(address: string, id: string): Promise<boolean> {
  const { openFleet } = await import('../fleet/index.ts');
  await using fleet = openFleet(address, { connections: 1 });
  await fleet.assertReady(patience);
  return await fleet.forgetWorker(id, patience);
}

/** Removes a schedule; the loops that it started stay. False if there is none of this name. */
export async function removeSchedule(address: string, id: string): Promise<boolean> {
  const { openFleet } = await import('../fleet/index.ts');
  await using fleet = openFleet(address, { connections: 1 });
  await fleet.assertReady(patience);
  return await fleet.removeSchedule(id, patience);
}

import { isLoopId, LoopError } from '../../base/index.ts';
import { nodeFiles } from '../../files/index.ts';
import type { Fleet, Patience } from '../../fleet/index.ts';
import { openTravel } from '../../workspace/index.ts';
import { removeWholeLoop } from '../remove-loop.ts';
import { openStore } from '../stores.ts';
import type { WorkerPlace } from './worker-place.ts';

/** What a worker needs to clean up. */
export interface SweepSetting {
  readonly fleet: Fleet;
  readonly place: WorkerPlace;
  readonly env: NodeJS.ProcessEnv;
  readonly trust: readonly string[];
  readonly patience: Patience;
  readonly report: (message: string) => void;
}

const mostCaptures = 20;

/**
 * Removes ended loops that are older than was set, the captures of removed loops, and what this machine still has of them.
 * Any number of workers may do it at once, and it may be cut off anywhere.
 */
export async function sweepFleet(setting: SweepSetting): Promise<void> {
  const { fleet, patience, report } = setting;
  const pruned = await fleet.pruneAsSet(patience);
  for (const loopId of pruned) report(`${loopId}: removed, as it ended long ago.`);
  await sweepHere(setting);
  await sweepCaptures(setting);
}

async function sweepHere({ fleet, place, env, patience, report }: SweepSetting): Promise<void> {
  const store = openStore(place);
  const here = [...new Set([...store.list(), ...nodeFiles.list(place.work)])].filter(isLoopId);
  if (here.length === 0) return;
  for (const { loop: loopId, repository } of await fleet.removedAmong(here, patience)) {
    try {
      if (store.has(loopId)) {
        await removeWholeLoop({ root: place.root, workingDirectory: place.root }, loopId, { env, force: true });
      }
      const from = {
        repository: repository ?? 'unknown',
        loopId,
        folder: place.treeOf(loopId),
        cache: place.cache,
        env,
      };
      await openTravel(from).remove();
      report(`${loopId}: its files here are removed, as the loop was.`);
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      report(`${loopId}: its files here could not be removed: ${error.message}`);
    }
  }
}

async function sweepCaptures({ fleet, place, env, trust, patience, report }: SweepSetting): Promise<void> {
  for (let round = 0; round < mostCaptures; round += 1) {
    const left = await fleet.nextCaptures(trust, patience);
    if (left === undefined) return;
    const { loop: loopId, repository } = left;
    try {
      await openTravel({ repository, loopId, folder: place.treeOf(loopId), cache: place.cache, env }).forget();
      await fleet.capturesGone(loopId, patience);
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      report(`${loopId}: its captures could not be deleted: ${error.message}`);
    }
  }
}

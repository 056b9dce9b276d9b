import { LoopError } from '../base/index.ts';
import type { LoopFolders } from '../store/index.ts';
import { foldState } from './adapters/fold-state.ts';
import { chooseLoop } from './choose-loop.ts';
import { type ListedLoops, type LoopView, loopViewOf, type UnreadableLoop } from './loop-view.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** All loops of a place. An unreadable loop does not hide the others. */
export function listLoops(place: LoopPlace): ListedLoops {
  const loops: LoopView[] = [];
  const unreadable: UnreadableLoop[] = [];
  for (const { loopId, read } of openStore(place).loops()) {
    try {
      const found = read();
      loops.push(loopViewOf(found, foldState(found)));
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      unreadable.push({ loopId, error });
    }
  }
  return { loops, unreadable };
}

/** The loop a user means: by id, by a unique prefix of it, or the only one there is. */
export function findLoop(place: LoopPlace, query: string | undefined, options: FindOptions = {}): LoopView {
  return readLoop(openStore(place), findLoopId(place, query, options));
}

/** How a loop is looked up. */
export interface FindOptions {
  /** The name must match exactly one loop. */
  readonly isUnique?: boolean;
  /** Without an id, take the newest loop if all have ended; for commands that only read. */
  readonly orNewest?: boolean;
}

/** The id of the loop a user means, whether or not the loop can be read. */
export function findLoopId(
  place: LoopPlace,
  query: string | undefined,
  { isUnique = false, orNewest = false }: FindOptions = {},
): string {
  const isExact = query !== undefined && openStore(place).has(query);
  if (isExact) return query;
  const { loops, unreadable } = listLoops(place);
  const candidates = loops.map(({ loop: { id, status, origin } }) => {
    return { id, status, uuid: origin.uuid, startedAt: isUnique ? undefined : origin.startedAt };
  });
  return chooseLoop(place, query, { loops: candidates, unreadable, orNewest });
}

/** One loop by its exact id. */
export function readLoop(store: LoopFolders, loopId: string): LoopView {
  const found = store.read(loopId);
  return loopViewOf(found, foldState(found));
}

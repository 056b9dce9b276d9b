import { LoopError } from '../base/index.ts';
import type { LoopStore } from '../store/index.ts';
import { chooseLoop } from './choose-loop.ts';
import { type ListedLoops, type LoopView, type UnreadableLoop, viewOf } from './loop-view.ts';
import { foldState } from './ports/store-port.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** All loops of a place. One that cannot be read does not hide the others. */
export function listLoops(place: LoopPlace): ListedLoops {
  const loops: LoopView[] = [];
  const unreadable: UnreadableLoop[] = [];
  for (const { loopId, read } of openStore(place).loops()) {
    try {
      const found = read();
      loops.push(viewOf(found, foldState(found)));
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      unreadable.push({ loopId, error });
    }
  }
  return { loops, unreadable };
}

/** The loop a user means: by id, by a unique beginning of it, or the only one there is. */
export function findLoop(place: LoopPlace, query: string | undefined): LoopView {
  return lookAt(openStore(place), findLoopId(place, query));
}

/** The id of the loop a user means, whether or not the loop can be read. */
export function findLoopId(place: LoopPlace, query: string | undefined): string {
  const isExact = query !== undefined && openStore(place).has(query);
  return isExact ? query : chooseLoop(place, query, listLoops(place));
}

/** One loop by its exact id. */
export function lookAt(store: LoopStore, loopId: string): LoopView {
  const found = store.read(loopId);
  return viewOf(found, foldState(found));
}

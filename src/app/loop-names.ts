import { loopNameOf } from '../base/index.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** The ids of all loops of a place and, below them, their names; no loop is read. */
export function listLoopNames(place: LoopPlace): readonly string[] {
  const ids = openStore(place).list();
  return [...ids, ...new Set(ids.map(loopNameOf))];
}

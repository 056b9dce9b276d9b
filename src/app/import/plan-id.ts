import { createHash } from 'node:crypto';
import path from 'node:path';
import { alignUuid, createLoopId, failures, isLoopId, LoopError } from '../../base/index.ts';
import { look, nodeFiles } from '../../files/index.ts';
import type { ForeignLoop } from '../../formats/index.ts';
import { readSafely } from '../registry.ts';
import { type LoopPlace, openStore } from '../stores.ts';

/** Which id an imported loop gets, and what its store already has under that id. */
export interface PlannedId {
  readonly loopId: string;
  readonly uuid: string;
  /** The digest of the file that was imported under this id before. */
  readonly importedDigest?: string;
}

/**
 * Its own id, if that fits and is free; otherwise one made of its task and of what identifies it, so that a second
 * import of the same loop finds the first.
 */
export function planId(loop: ForeignLoop, source: string, place: LoopPlace): PlannedId {
  const uuid = uuidOf(loop);
  const made = createLoopId(loop.task, uuid);
  const candidates = [...(loop.id !== undefined && isLoopId(loop.id) ? [loop.id] : []), made];
  const store = openStore(place);
  for (const loopId of candidates) {
    if (store.has(loopId)) {
      const imported = importedIn(place, loopId);
      if (imported?.path === source || (imported?.id === loop.id && imported?.from === loop.from)) {
        return { loopId, uuid, importedDigest: imported.digest };
      }
      continue;
    }
    if (look(nodeFiles, path.join(place.root, 'loops', loopId)) === undefined) {
      return { loopId, uuid: alignUuid(loopId, uuid) };
    }
  }
  throw new LoopError(failures.loopExists(made, path.join(place.root, 'loops', made)));
}

function importedIn(place: LoopPlace, loopId: string) {
  return readSafely(openStore(place), loopId)[0]?.loop.origin.imported;
}

/** A UUID that is the same for every import of the loop: its own, or one made of what identifies it. */
function uuidOf({ from, id, task, startedAt }: ForeignLoop): string {
  const [own] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/u.exec(id?.toLowerCase() ?? '') ?? [];
  if (own !== undefined) return own;
  const hash = createHash('sha256')
    .update(JSON.stringify([from, id ?? task, startedAt ?? '']))
    .digest('hex');
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/u, '$1-$2-$3-$4-$5');
}

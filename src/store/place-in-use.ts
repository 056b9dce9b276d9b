import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { look, reading } from '../files/index.ts';
import { listSegments } from './journal/read.ts';
import { type LoopPlace, protectionFile } from './place.ts';
import { journalOf } from './recover.ts';

/**
 * Whether a folder holds a loop of ours.
 * Without a journal only the lock distinguishes our state.json from that of another tool that shares the layout.
 */
export function isInUse(place: LoopPlace): boolean {
  const { files, folder } = place;
  const has = (name: string) => look(files, path.join(folder, name)) !== undefined;
  if (has('lock') && ['state.json', 'checkpoints', 'backups'].some(has)) return true;
  const journal = journalOf(place);
  return look(files, journal.folder)?.kind === 'folder' && listSegments(journal).length > 0;
}

// A process that died while creating this loop leaves no more than these.
const ownNames = new Set(['journal', 'lock', 'owner.json', protectionFile]);

/** Refuses a folder in which a new loop would meet something else. */
export function assertUnused(place: LoopPlace): void {
  const { files, folder, loopId } = place;
  const isForeign = reading(folder, () => files.list(folder)).some(
    (name) => !ownNames.has(name) && !name.endsWith('.tmp'),
  );
  if (isForeign || isInUse(place)) throw new LoopError(failures.loopExists(loopId, folder));
}

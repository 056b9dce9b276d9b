import { LoopError } from '../../base/index.ts';
import { expand, readWhole, writing } from '../../files/index.ts';
import type { SnapshotDocument } from '../../protocol/index.ts';
import type { LoopPlace } from '../place.ts';
import { parseDocument } from '../snapshot.ts';
import { listCheckpoints, maxStoredBytes, readStored } from '../stored-documents.ts';

/** How many of the newest checkpoints stay. */
export const maxCheckpoints = 5;

/** Whether a checkpoint stays whatever its age. */
export type IsKept = (checkpoint: SnapshotDocument) => boolean;

/**
 * The checkpoints that a loop no longer needs, newest first. The five newest stay, those kept on purpose, and the
 * newest that can be read, which is the one that recovery uses. `intact` was written, and read back, just now.
 */
export function excessCheckpoints(place: LoopPlace, isKept: IsKept, intact?: string): readonly string[] {
  const checkpoints = listCheckpoints(place).map(({ file }) => file);
  const excess = checkpoints.slice(maxCheckpoints);
  if (excess.length === 0) return [];
  const unreadable = new Set<string>();
  const needed = checkpoints.find((file) => {
    const quality = file === intact ? 'good' : qualityOf(place, file);
    if (quality === 'unreadable') unreadable.add(file);
    return quality === 'good';
  });
  return excess.filter((file) => file !== needed && !unreadable.has(file) && !isKeptFile(place, file, isKept));
}

/** Removes the checkpoints that a loop no longer needs, and returns their names. */
export function pruneCheckpoints(place: LoopPlace, isKept: IsKept, intact?: string): readonly string[] {
  const excess = excessCheckpoints(place, isKept, intact);
  for (const file of excess.toReversed()) writing(file, () => place.files.remove(file));
  return excess;
}

// One that cannot be read at the moment may be the one that is needed.
function qualityOf(place: LoopPlace, file: string): 'good' | 'bad' | 'unreadable' {
  try {
    return readStored(place, file).kind === 'ok' ? 'good' : 'bad';
  } catch (error) {
    return error instanceof LoopError && error.failure.code === 'STATE_UNREADABLE' ? 'unreadable' : 'bad';
  }
}

function isKeptFile({ files }: LoopPlace, file: string, isKept: IsKept): boolean {
  const bytes = expand(readWhole(files, file, { limit: maxStoredBytes }), maxStoredBytes);
  const document = bytes && parseDocument(bytes);
  return document !== undefined && isKept(document);
}

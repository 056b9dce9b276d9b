import { LoopError } from '../../base/index.ts';
import { writing } from '../files/disk-errors.ts';
import { readWhole } from '../files/durable.ts';
import { expand } from '../files/gzip.ts';
import type { LoopPlace } from '../place.ts';
import { parseDocument } from '../snapshot.ts';
import type { SnapshotDocument } from '../snapshot-format.ts';
import { listCheckpoints, maxStoredBytes, readStored } from '../stored-documents.ts';

const keptCheckpoints = 5;

/** Whether a checkpoint stays whatever its age. */
export type IsKept = (checkpoint: SnapshotDocument) => boolean;

/**
 * The checkpoints that a loop can do without, newest first. The five newest stay, those kept on purpose, and the
 * newest that can be read, which is the one that recovery turns to.
 */
export function excessCheckpoints(place: LoopPlace, isKept: IsKept): readonly string[] {
  const checkpoints = listCheckpoints(place).map(({ file }) => file);
  const excess = checkpoints.slice(keptCheckpoints);
  if (excess.length === 0) return [];
  const unreadable = new Set<string>();
  const needed = checkpoints.find((file) => {
    const quality = qualityOf(place, file);
    if (quality === 'unreadable') unreadable.add(file);
    return quality === 'good';
  });
  return excess.filter((file) => file !== needed && !unreadable.has(file) && !isKeptFile(place, file, isKept));
}

/** Removes the checkpoints that a loop can do without, and says which those were. */
export function pruneCheckpoints(place: LoopPlace, isKept: IsKept): readonly string[] {
  const excess = excessCheckpoints(place, isKept);
  for (const file of excess.toReversed()) writing(file, () => place.files.remove(file));
  return excess;
}

// What cannot be read just now may be the one that is needed.
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

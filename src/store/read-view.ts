import path from 'node:path';
import { hasFolder, look, readWhole } from '../files/index.ts';
import type { SnapshotDocument } from '../protocol/index.ts';
import { isTooDeep } from './journal/depth.ts';
import type { RootedPlace } from './place.ts';
import { parseDocument } from './snapshot.ts';

const limit = 4 * 1024 * 1024;

/** Reads a file that can be rebuilt from the journal; undefined if it is missing or invalid. */
export function readView(place: RootedPlace, names: readonly string[]): SnapshotDocument | undefined {
  const { files, root, folder } = place;
  const file = path.join(folder, ...names);
  try {
    if (!hasFolder(files, root, path.dirname(file)) || look(files, file) === undefined) return undefined;
    const bytes = readWhole(files, file, { limit });
    return isTooDeep(bytes) ? undefined : parseDocument(bytes);
  } catch {
    return undefined;
  }
}

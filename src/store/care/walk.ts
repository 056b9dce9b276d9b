import path from 'node:path';
import type { CareFiles, CloseInfo } from '../../files/index.ts';

/** Something found below a folder. */
export interface Found extends CloseInfo {
  readonly path: string;
}

const maxDepth = 12;

/** Everything below a folder, contents before their folder; links are named, never followed. */
export function* walk(files: CareFiles, folder: string, depth = 0): Generator<Found> {
  if (depth > maxDepth) return;
  for (const name of listQuietly(files, folder)) {
    const place = path.join(folder, name);
    const info = files.lookClosely(place);
    if (!info) continue; // it was removed meanwhile
    if (info.kind === 'folder') yield* walk(files, place, depth + 1);
    yield { ...info, path: place };
  }
}

function listQuietly(files: CareFiles, folder: string): readonly string[] {
  try {
    return files.list(folder);
  } catch {
    return [];
  }
}

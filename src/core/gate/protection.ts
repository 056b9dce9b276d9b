import type { Changes } from '../../protocol/index.ts';

/** Protected files that the loop changed or deleted, and those that it wrote itself; each newest last, bounded. */
export interface ProtectedFiles {
  readonly changed: readonly string[];
  readonly created: readonly string[];
}

/** No file at all. */
export const noProtectedFiles: ProtectedFiles = { changed: [], created: [] };

const keptChanged = 100;
const keptCreated = 500;

/** Leaves out what the loop wrote itself in an earlier iteration: it may change its own tests. */
export function withoutOwn(changes: Changes, { created }: ProtectedFiles): Changes {
  const { protected: touched, ...rest } = changes;
  if (touched === undefined) return changes;
  const own = new Set(created);
  const changed = touched.changed.filter((path) => !own.has(path));
  if (changed.length === 0 && touched.created.length === 0) return rest;
  return { ...rest, protected: { changed, created: touched.created } };
}

/** Adds what one iteration did. A file that was there once and is written again stays named. */
export function noteProtected(files: ProtectedFiles, { protected: touched }: Changes): ProtectedFiles {
  if (touched === undefined) return files;
  return {
    changed: newest([...files.changed, ...touched.changed], keptChanged),
    created: newest([...files.created, ...touched.created], keptCreated),
  };
}

function newest(paths: readonly string[], most: number): readonly string[] {
  return [...new Set(paths)].slice(-most);
}

import type { Changes } from '../../protocol/index.ts';
import type { ProtectedFiles } from '../state/gate.ts';

const maxChanged = 100;
const maxCreated = 500;

/** Leaves out tests that the loop itself created earlier: it may change those. */
export function withoutOwnTests(changes: Changes, { created }: ProtectedFiles): Changes {
  const { protected: touched, ...rest } = changes;
  if (touched === undefined) return changes;
  const own = new Set(created);
  const changed = touched.changed.filter((path) => !own.has(path));
  if (changed.length === 0 && touched.created.length === 0) return rest;
  return { ...rest, protected: { changed, created: touched.created } };
}

/** Adds the changes of one iteration. A file stays listed even when it is restored. */
export function addProtected(files: ProtectedFiles, { protected: touched }: Changes): ProtectedFiles {
  if (touched === undefined) return files;
  return {
    changed: newest([...files.changed, ...touched.changed], maxChanged),
    created: newest([...files.created, ...touched.created], maxCreated),
  };
}

function newest(paths: readonly string[], max: number): readonly string[] {
  return [...new Set(paths)].slice(-max);
}

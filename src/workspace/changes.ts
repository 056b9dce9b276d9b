import { GONE } from './content.ts';
import type { Fingerprint } from './fingerprint.ts';
import { type Change, gitChanges, union } from './git-changes.ts';
import { toText } from './raw-path.ts';
import { readTreeState, type TreeState } from './tree-state.ts';
import { isReadError } from './unreadable.ts';

/** What happened to the work tree between two fingerprints. */
export interface Changes {
  /** False when one of them could not be taken: then nothing follows from the lists being empty. */
  readonly known: boolean;
  /** Another commit is checked out than before. */
  readonly headMoved: boolean;
  /** Paths as seen from the work folder, sorted, at most 200 each; a renamed file is deleted and created. */
  readonly modified: readonly string[];
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  /** The same, whole. */
  readonly all: {
    readonly modified: readonly string[];
    readonly created: readonly string[];
    readonly deleted: readonly string[];
  };
  /** How many there really are. */
  readonly counts: { readonly modified: number; readonly created: number; readonly deleted: number };
}

const LONGEST_LIST = 200;

/** Compares two fingerprints of the same folder by content; `after` has to be what is there now. */
export async function changesBetween(
  before: Fingerprint,
  after: Fingerprint,
  env: NodeJS.ProcessEnv,
): Promise<Changes> {
  const headMoved = hasMovedHead(before, after);
  try {
    const changes = await compare(before, after, env);
    return { ...summary(headMoved, changes ?? []), known: changes !== undefined };
  } catch (error) {
    if (!isReadError(error)) throw error;
    return { ...summary(headMoved, []), known: false };
  }
}

// A repository that is gone, or another one than before, tells nothing about commits.
function hasMovedHead(before: Fingerprint, after: Fingerprint): boolean {
  if (after.kind !== 'git' || before.kind === 'unknown') return false;
  if (before.kind === 'tree') return after.head !== null;
  return before.root === after.root && before.head !== after.head;
}

async function compare(
  before: Fingerprint,
  after: Fingerprint,
  env: NodeJS.ProcessEnv,
): Promise<readonly Change[] | undefined> {
  if (before.kind === 'git' && after.kind === 'git' && before.root === after.root) {
    return await gitChanges(before, after, env);
  }
  if (before.kind !== 'tree' || after.kind === 'unknown') return undefined;
  if (after.kind === 'tree') return treeChanges(before, after);
  // There was no repository before: what is there now is read in the same way as then.
  return treeChanges(before, await readTreeState(after.folder, { excluded: after.excluded, known: before.cache }));
}

function treeChanges(before: TreeState, after: TreeState): Change[] {
  return union(before.files, after.files).map((path) => ({
    path,
    was: before.files.get(path) ?? GONE,
    is: after.files.get(path) ?? GONE,
  }));
}

function summary(headMoved: boolean, changes: readonly Change[]): Changes {
  const real = changes.filter(({ was, is }) => was !== is);
  const created = namesOf(real.filter(({ was }) => was === GONE));
  const deleted = namesOf(real.filter(({ is }) => is === GONE));
  const modified = namesOf(real.filter(({ was, is }) => was !== GONE && is !== GONE));
  return {
    known: true,
    headMoved,
    modified: modified.slice(0, LONGEST_LIST),
    created: created.slice(0, LONGEST_LIST),
    deleted: deleted.slice(0, LONGEST_LIST),
    all: { modified, created, deleted },
    counts: { modified: modified.length, created: created.length, deleted: deleted.length },
  };
}

function namesOf(changes: readonly Change[]): string[] {
  return changes.map(({ path }) => toText(path)).sort();
}

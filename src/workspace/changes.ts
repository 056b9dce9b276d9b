import { absent } from './content.ts';
import type { Fingerprint } from './fingerprint.ts';
import { type Change, gitChanges, union } from './git-changes.ts';
import { toText } from './raw-path.ts';
import { readTreeState, type TreeState } from './tree-state.ts';
import { isReadError } from './unreadable.ts';

/** What happened to the work tree between two fingerprints. */
export interface Changes {
  /** False when one of them could not be taken: empty lists then mean nothing. */
  readonly known: boolean;
  /** A different commit is checked out. */
  readonly headMoved: boolean;
  /** Paths relative to the work folder, sorted, at most 200 each; a renamed file counts as deleted and created. */
  readonly modified: readonly string[];
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  /** The same lists, complete. */
  readonly all: {
    readonly modified: readonly string[];
    readonly created: readonly string[];
    readonly deleted: readonly string[];
  };
  /** The lengths of the complete lists. */
  readonly counts: { readonly modified: number; readonly created: number; readonly deleted: number };
}

const maxListed = 200;

/** Compares two fingerprints of the same folder by content; `after` must describe the present state. */
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

// A repository that was deleted or replaced says nothing about commits.
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
  // There was no repository before: read the tree the same way now.
  return treeChanges(before, await readTreeState(after.folder, { excluded: after.excluded, known: before.cache }));
}

function treeChanges(before: TreeState, after: TreeState): Change[] {
  return union(before.files, after.files).map((path) => ({
    path,
    before: before.files.get(path) ?? absent,
    after: after.files.get(path) ?? absent,
  }));
}

function summary(headMoved: boolean, changes: readonly Change[]): Changes {
  const real = changes.filter(({ before, after }) => before !== after);
  const created = namesOf(real.filter(({ before }) => before === absent));
  const deleted = namesOf(real.filter(({ after }) => after === absent));
  const modified = namesOf(real.filter(({ before, after }) => before !== absent && after !== absent));
  return {
    known: true,
    headMoved,
    modified: modified.slice(0, maxListed),
    created: created.slice(0, maxListed),
    deleted: deleted.slice(0, maxListed),
    all: { modified, created, deleted },
    counts: { modified: modified.length, created: created.length, deleted: deleted.length },
  };
}

function namesOf(changes: readonly Change[]): string[] {
  return changes.map(({ path }) => toText(path)).sort();
}

import path from 'node:path';
import { type Content, GONE } from './content.ts';
import type { Fingerprint } from './fingerprint.ts';
import { git } from './git.ts';
import { parseDiff } from './git-status.ts';
import { isUnder, join, type RawPath, toText } from './raw-path.ts';
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
  /** How many there really are. */
  readonly counts: { readonly modified: number; readonly created: number; readonly deleted: number };
}

type GitFingerprint = Extract<Fingerprint, { kind: 'git' }>;
type TreeFingerprint = Extract<Fingerprint, { kind: 'tree' }>;
type Change = readonly [path: RawPath, before: Content, after: Content];

const LONGEST_LIST = 200;

/** Compares two fingerprints of the same folder by content. */
export async function changesBetween(
  before: Fingerprint,
  after: Fingerprint,
  env: NodeJS.ProcessEnv,
): Promise<Changes> {
  const headMoved = headOf(before) !== headOf(after);
  try {
    if (before.kind === 'tree' && after.kind === 'tree') return summary(headMoved, treeChanges(before, after));
    if (before.kind === 'git' && after.kind === 'git' && before.root === after.root) {
      return summary(headMoved, await gitChanges(before, after, env));
    }
  } catch (error) {
    if (!isReadError(error)) throw error;
    return { ...summary(headMoved, []), known: false };
  }
  // A repository that was not there before and has a commit now is news enough; the rest cannot be compared.
  const isNewRepository = before.kind === 'tree' && headOf(after) !== null;
  return { ...summary(isNewRepository, []), known: isNewRepository };
}

function headOf(fingerprint: Fingerprint): string | null {
  return fingerprint.kind === 'git' ? fingerprint.head : null;
}

function treeChanges(before: TreeFingerprint, after: TreeFingerprint): Change[] {
  return union(before.files, after.files).map((file) => [
    file,
    before.files.get(file) ?? GONE,
    after.files.get(file) ?? GONE,
  ]);
}

/** A path that a fingerprint does not list is as its HEAD has it; what the two HEADs have comes from git. */
async function gitChanges(before: GitFingerprint, after: GitFingerprint, env: NodeJS.ProcessEnv): Promise<Change[]> {
  const commits = await commitChanges(before, after, env);
  return union(before.differing, after.differing, commits).map((file) => {
    const old = before.differing.get(file);
    const now = after.differing.get(file);
    const heads = commits.get(file);
    const was = old?.work ?? heads?.before ?? now?.head ?? GONE;
    const is = now?.work ?? heads?.after ?? old?.head ?? GONE;
    return [seenFrom(after, file), was, is];
  });
}

async function commitChanges(before: GitFingerprint, after: GitFingerprint, env: NodeJS.ProcessEnv) {
  if (before.head === after.head) return new Map<RawPath, { before: Content; after: Content }>();
  const commits = [before.head, after.head].map((head) => head ?? emptyTree(before.head ?? after.head));
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', ...commits];
  const changes = parseDiff(await git(toText(after.folder), args, env));
  for (const file of changes.keys()) if (isUnder(join(after.root, file), after.excluded)) changes.delete(file);
  return changes;
}

// Before the first commit there is nothing: git knows this tree in every repository, under one name per format.
function emptyTree(likeThis: string | null): string {
  return likeThis?.length === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
}

function seenFrom(place: GitFingerprint, file: RawPath): RawPath {
  return path.posix.relative(place.folder, join(place.root, file));
}

function union(...maps: readonly ReadonlyMap<RawPath, unknown>[]): RawPath[] {
  return [...new Set(maps.flatMap((map) => [...map.keys()]))];
}

function summary(headMoved: boolean, changes: readonly Change[]): Changes {
  const real = changes.filter(([, before, after]) => before !== after);
  const created = namesOf(real.filter(([, before]) => before === GONE));
  const deleted = namesOf(real.filter(([, , after]) => after === GONE));
  const modified = namesOf(real.filter(([, before, after]) => before !== GONE && after !== GONE));
  return {
    known: true,
    headMoved,
    modified: modified.slice(0, LONGEST_LIST),
    created: created.slice(0, LONGEST_LIST),
    deleted: deleted.slice(0, LONGEST_LIST),
    counts: { modified: modified.length, created: created.length, deleted: deleted.length },
  };
}

function namesOf(changes: readonly Change[]): string[] {
  return changes.map(([file]) => toText(file)).sort();
}

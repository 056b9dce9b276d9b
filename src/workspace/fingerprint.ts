import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { RunErrand } from '../process/index.ts';
import { isMissing } from './content.ts';
import { gitSucceeds } from './git.ts';
import { findGitTop } from './git-folder.ts';
import { type GitState, type ReadOptions, readGitState } from './git-state.ts';
import { type RawPath, toRaw } from './raw-path.ts';
import { readTreeState, type TreeState } from './tree-state.ts';
import { isReadError } from './unreadable.ts';

/** The state of a work tree at one moment, for comparison with another. */
export type Fingerprint =
  | ({ readonly kind: 'git' } & GitState & Place)
  | ({ readonly kind: 'tree' } & TreeState & Place)
  | { readonly kind: 'unknown'; readonly reason: string };

interface Place {
  readonly folder: RawPath;
  readonly excluded: readonly RawPath[];
}

interface FingerprintOptions {
  /** The caller's environment, for git. */
  readonly env: NodeJS.ProcessEnv;
  /** Absolute paths that do not count, such as our own state. */
  readonly exclude: readonly string[];
  /** An earlier fingerprint of the same folder: files that have not changed since are not read again. */
  readonly previous?: Fingerprint | undefined;
  /** A quicker way to run git. */
  readonly quickly?: RunErrand | undefined;
}

/** Takes the fingerprint of a work tree; one that cannot be read is `unknown`, which is not an error. */
export async function takeFingerprint(folder: string, options: FingerprintOptions): Promise<Fingerprint> {
  const { env, previous, quickly } = options;
  const known = previous?.kind === 'unknown' ? undefined : previous?.cache;
  try {
    const real = realpathSync.native(folder);
    const excluded = rawPathsOf(options.exclude);
    const place = { folder: toRaw(real), excluded };
    const inGit = await readIfInGit(real, { env, excluded, known, quickly });
    if (inGit !== undefined) return { kind: 'git', ...place, ...inGit };
    return { kind: 'tree', ...place, ...(await readTreeState(place.folder, { excluded, known })) };
  } catch (error) {
    if (!isReadError(error)) throw error;
    return { kind: 'unknown', reason: error.message };
  }
}

/** The commit a work tree is on, and whether the tree equals it; undefined outside git and before the first commit. */
export function commitOf(fingerprint: Fingerprint): { readonly id: string; readonly isWhole: boolean } | undefined {
  if (fingerprint.kind !== 'git' || fingerprint.head === null) return undefined;
  const { head: id, differing } = fingerprint;
  return { id, isWhole: [...differing.values()].every(({ head, work }) => head === work) };
}

/** A short text, equal for two fingerprints exactly when nothing changed between them. */
export function digestOf(fingerprint: Fingerprint): string {
  if (fingerprint.kind === 'unknown') return 'unknown';
  const { kind } = fingerprint;
  const digest = createHash('sha1').update(kind === 'git' ? String(fingerprint.head) : '');
  if (kind === 'tree') for (const entry of fingerprint.files) digest.update(JSON.stringify(entry));
  else for (const [file, { work }] of fingerprint.differing) digest.update(JSON.stringify([file, work]));
  return digest.digest('hex');
}

// Where git is missing or refuses (a broken or bare repository, one of another user), files are compared without it.
async function readIfInGit(folder: string, options: ReadOptions): Promise<GitState | undefined> {
  try {
    return (await belongsToRepository(folder, options.env)) ? await readGitState(folder, options) : undefined;
  } catch (error) {
    if (!isReadError(error)) throw error;
    return undefined;
  }
}

// A folder that the surrounding repository ignores does not belong to it.
async function belongsToRepository(folder: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const top = findGitTop(folder);
  if (top === undefined || top === toRaw(folder)) return top !== undefined;
  return !(await gitSucceeds(folder, { args: ['check-ignore', '-q', '.'], env }));
}

const resolved = new WeakMap<readonly string[], readonly RawPath[]>();

/** The real paths of our own folders, of which there are few: what an agent makes of them later changes nothing. */
function rawPathsOf(files: readonly string[]): readonly RawPath[] {
  const paths = resolved.get(files) ?? files.map((file) => toRaw(realPathOf(file)));
  resolved.set(files, paths);
  return paths;
}

/** The real path, also of something that does not exist yet. */
function realPathOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return path.join(realPathOf(path.dirname(file)), path.basename(file));
  }
}

import { git, gitStart, type PrivateRepository } from '../git.ts';
import { toText } from '../raw-path.ts';
import { isReadError } from '../unreadable.ts';
import { type DiffPlace, openRepository } from './repository.ts';

/** Two states of a work tree, by the ids of their trees. */
export interface DiffTrees {
  readonly before: string;
  readonly after: string;
}

/** How many lines of a file differ; null for a file that is binary or too large, or whose content was not kept. */
export interface FileDiff {
  readonly path: string;
  readonly added: number | null;
  readonly removed: number | null;
}

/** A patch, or the beginning of one that is too long. */
export interface Patch {
  readonly text: string;
  readonly isWhole: boolean;
}

const timeoutMs = 20_000;
const maxStatBytes = 16 * 1024 * 1024;

// Line endings that a filter of the user's repository converts are not changes.
const options = ['-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--ignore-cr-at-eol'];

/** The changed files of a kept diff; undefined if its objects no longer exist. */
export async function readDiffStat(place: DiffPlace, trees: DiffTrees): Promise<readonly FileDiff[] | undefined> {
  return await unlessGone(place, trees, async (repository) => await readStat(repository, trees, place.env));
}

/** A kept diff as a patch of at most so many bytes; undefined if its objects no longer exist. */
export async function readPatch(place: DiffPlace, trees: DiffTrees, maxBytes: number): Promise<Patch | undefined> {
  return await unlessGone(place, trees, async (repository) => {
    const args = ['diff-tree', '-p', ...options, trees.before, trees.after];
    const call = { args, env: place.env, repository, timeoutMs };
    const { bytes, isWhole } = await gitStart(repository.folder, call, maxBytes);
    return { text: bytes.toString('utf8'), isWhole };
  });
}

async function unlessGone<Result>(
  place: DiffPlace,
  { before }: DiffTrees,
  read: (repository: PrivateRepository) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    using open = await openRepository(place, before.length === 64 ? 'sha256' : 'sha1');
    return await read(open.repository);
  } catch (error) {
    if (!isReadError(error)) throw error;
    return undefined;
  }
}

/** The changed files between two trees of a repository. */
export async function readStat(
  repository: PrivateRepository,
  { before, after }: DiffTrees,
  env: NodeJS.ProcessEnv,
): Promise<readonly FileDiff[]> {
  const args = ['diff-tree', '--numstat', '-z', ...options, before, after];
  const call = { args, env, repository, timeoutMs, maxOutputBytes: maxStatBytes };
  const output = await git(repository.folder, call);
  return output
    .toString('latin1')
    .split('\0')
    .flatMap((line) => {
      const [, added, removed, file] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(line) ?? [];
      return file === undefined ? [] : [{ path: toText(file), added: countOf(added), removed: countOf(removed) }];
    });
}

function countOf(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text);
}

import { createHash } from 'node:crypto';
import type { RunErrand } from '../process/index.ts';
import { absent, type Content, type ContentCache, createContentReader, exists } from './content.ts';
import { git } from './git.ts';
import { findHiddenFiles } from './git-hidden.ts';
import { findGitPlace } from './git-place.ts';
import { parseStatus } from './git-status.ts';
import { isUnder, join, type RawPath, toText } from './raw-path.ts';
import { isReadError } from './unreadable.ts';

interface Differing {
  readonly head: Content;
  readonly work: Content;
}

/** A repository at one moment: its commit, and every path that differs from it or that git skips. */
export interface GitState {
  readonly root: RawPath;
  /** The hash of the repository: `sha1` or `sha256`. */
  readonly algorithm: string;
  readonly head: string | null;
  readonly differing: ReadonlyMap<RawPath, Differing>;
  readonly cache: ContentCache;
}

export interface ReadOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Files and folders that do not count. */
  readonly excluded: readonly RawPath[];
  readonly known?: ContentCache | undefined;
  /** A quicker way to run git. */
  readonly quickly?: RunErrand | undefined;
}

const statusArgs =
  'status --porcelain=v2 --branch -z --untracked-files=all --no-renames --ignore-submodules=none --no-ahead-behind'.split(
    ' ',
  );

/** Reads the repository that a folder belongs to, without writing anything there. */
export async function readGitState(folder: string, options: ReadOptions): Promise<GitState> {
  const { env, excluded, known, quickly } = options;
  const [status, { place, hidden }] = await Promise.all([
    git(folder, { args: statusArgs, env, quickly }),
    findGitPlace(folder, env).then(async (found) => ({
      place: found,
      hidden: await findHiddenFiles(folder, found, env),
    })),
  ]);
  const { root, algorithm } = place;
  const { head, entries } = parseStatus(status);
  const listed = new Set(entries.map(({ path }) => path));
  const unlisted = hidden.filter(({ path }) => !listed.has(path));
  const all = [...entries, ...unlisted.map(({ path, index }) => ({ path, head: index }))];
  const reader = createContentReader({ algorithm, known });
  const differing = new Map<RawPath, Differing>();
  for (const entry of all) {
    const file = join(root, entry.path);
    if (isUnder(file, excluded)) continue;
    const work = await readWork(file, reader.read, options);
    differing.set(entry.path, { head: entry.head, work });
  }
  return { root, algorithm, head, differing, cache: reader.cache };
}

/** The content of the work tree at a path: a file, a nested repository, or nothing. */
export async function readWork(
  file: RawPath,
  readFile: (file: RawPath) => Promise<Content>,
  options: ReadOptions,
): Promise<Content> {
  const content = await readFile(file);
  // Without its own `.git`, git would answer for the surrounding repository.
  return content === absent && exists(join(file, '.git')) ? await readNested(file, options) : content;
}

// A nested repository counts as one file. A clean one reads as the commit that the outer repository can record.
async function readNested(folder: RawPath, options: ReadOptions): Promise<Content> {
  try {
    const { head, differing } = await readGitState(toText(folder), options);
    if (head !== null && differing.size === 0) return `160000 ${head}`;
    const state = JSON.stringify([head, [...differing].sort(([a], [b]) => (a < b ? -1 : 1))]);
    return `repository ${createHash('sha1').update(state).digest('hex')}`;
  } catch (error) {
    if (!isReadError(error)) throw error;
    return 'repository unreadable';
  }
}

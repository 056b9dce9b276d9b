import { createHash } from 'node:crypto';
import { type Content, type ContentCache, createContentReader, exists, GONE } from './content.ts';
import { forEachOf } from './for-each.ts';
import { git } from './git.ts';
import { parseStatus, type StatusEntry } from './git-status.ts';
import { isUnder, join, type RawPath, toText } from './raw-path.ts';
import { Unreadable } from './unreadable.ts';

/** What HEAD has at a path, and what the work tree has there. */
interface Differing {
  readonly head: Content;
  readonly work: Content;
}

/** A repository at one moment: its commit, and every path that differs from it. */
export interface GitState {
  readonly root: RawPath;
  readonly head: string | null;
  readonly differing: ReadonlyMap<RawPath, Differing>;
  readonly cache: ContentCache;
}

/** How to read a work tree. */
export interface ReadOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Left out of account, with everything below. */
  readonly excluded: readonly RawPath[];
  readonly known?: ContentCache | undefined;
}

const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--no-renames'];
const STATUS_DETAILS = ['--ignore-submodules=none', '--no-ahead-behind'];

/** Reads the repository that a folder belongs to. */
export async function readGitState(folder: string, options: ReadOptions): Promise<GitState> {
  const [place, status] = await Promise.all([
    git(folder, ['rev-parse', '--show-object-format', '--show-toplevel'], options.env),
    git(folder, [...STATUS, ...STATUS_DETAILS], options.env),
  ]);
  const [, algorithm, root] = /^(\w+)\n(.+)\n$/s.exec(place.toString('latin1')) ?? [];
  if (algorithm === undefined || root === undefined) throw new Unreadable('git rev-parse did not name the repository');
  const { head, entries } = parseStatus(status);
  const reader = createContentReader({ algorithm, known: options.known });
  const read = async (entry: StatusEntry): Promise<[RawPath, Differing]> => {
    const file = join(root, entry.path);
    const work = entry.nested ? await readNested(file, options) : await reader.read(file);
    return [entry.path, { head: entry.head, work }];
  };
  const counted = entries.filter((entry) => !isUnder(join(root, entry.path), options.excluded));
  return { root, head, differing: new Map(await forEachOf(counted, read)), cache: reader.remembered };
}

// A repository inside the repository counts as one file whose content is its whole state.
async function readNested(folder: RawPath, options: ReadOptions): Promise<Content> {
  // Without a repository of its own, git would answer for the outer one.
  if (!(await exists(join(folder, '.git')))) return GONE;
  const { head, differing } = await readGitState(toText(folder), options);
  const state = JSON.stringify([head, [...differing].sort(([a], [b]) => (a < b ? -1 : 1))]);
  return `repository ${createHash('sha1').update(state).digest('hex')}`;
}

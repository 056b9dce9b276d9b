import { createHash } from 'node:crypto';
import { type Content, type ContentCache, createContentReader, exists, GONE } from './content.ts';
import { git } from './git.ts';
import { findHiddenFiles } from './git-hidden.ts';
import { parseStatus } from './git-status.ts';
import { isUnder, join, type RawPath, toText } from './raw-path.ts';
import { isReadError, Unreadable } from './unreadable.ts';

/** What HEAD has at a path, and what the work tree has there. */
interface Differing {
  readonly head: Content;
  readonly work: Content;
}

/** A repository at one moment: its commit, and every path that differs from it or that git does not look at. */
export interface GitState {
  readonly root: RawPath;
  /** How the repository names contents: `sha1` or `sha256`. */
  readonly algorithm: string;
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

/** Reads the repository that a folder belongs to, without writing anything there. */
export async function readGitState(folder: string, options: ReadOptions): Promise<GitState> {
  const { env, excluded, known } = options;
  const [place, status, hidden] = await Promise.all([
    git(folder, { args: ['rev-parse', '--show-object-format', '--show-toplevel'], env }),
    git(folder, { args: [...STATUS, ...STATUS_DETAILS], env }),
    findHiddenFiles(folder, env),
  ]);
  const [, algorithm, root] = /^(\w+)\n(.+)\n$/s.exec(place.toString('latin1')) ?? [];
  if (algorithm === undefined || root === undefined) throw new Unreadable('git rev-parse did not name the repository');
  const { head, entries } = parseStatus(status);
  const listed = new Set(entries.map(({ path }) => path));
  const unseen = hidden.filter(({ path }) => !listed.has(path));
  const all = [...entries, ...unseen.map(({ path, index }) => ({ path, head: index }))];
  const reader = createContentReader({ algorithm, known });
  const differing = new Map<RawPath, Differing>();
  for (const entry of all) {
    const file = join(root, entry.path);
    if (isUnder(file, excluded)) continue;
    const work = await readWork(file, reader.read, options);
    differing.set(entry.path, { head: entry.head, work });
  }
  return { root, algorithm, head, differing, cache: reader.remembered };
}

/** What the work tree has at a path: a file, a repository of its own, or nothing. */
export async function readWork(
  file: RawPath,
  readFile: (file: RawPath) => Promise<Content>,
  options: ReadOptions,
): Promise<Content> {
  const content = await readFile(file);
  // Without a repository of its own, git would answer for the one around it.
  return content === GONE && exists(join(file, '.git')) ? await readNested(file, options) : content;
}

// A repository inside the repository counts as one file. Clean, it is what the one around it can record of it.
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

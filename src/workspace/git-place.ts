import path from 'node:path';
import { exists } from './content.ts';
import { realFolder } from './folder.ts';
import { git } from './git.ts';
import { findGitTop, gitFoldersOf } from './git-folder.ts';
import { join, type RawPath, toRaw } from './raw-path.ts';
import { readSmallText } from './small-file.ts';
import { Unreadable } from './unreadable.ts';

/** What git says about the repository of a folder. */
export interface GitPlace {
  /** The top of the work tree. */
  readonly root: RawPath;
  /** The hash of the repository: `sha1` or `sha256`. */
  readonly algorithm: string;
  /** Absolute. */
  readonly objects: RawPath;
  readonly index: RawPath;
}

const maxRemembered = 100;
const remembered = new Map<string, { readonly basis: string; readonly place: GitPlace }>();

/**
 * The repository that a folder belongs to; throws where git knows none. The answer is remembered as long as all that it
 * follows from is unchanged: anybody may create, move or configure a repository at any time.
 */
export async function findGitPlace(given: string, env: NodeJS.ProcessEnv): Promise<GitPlace> {
  const folder = realFolder(given);
  const top = findGitTop(folder);
  const basis = top === undefined ? undefined : basisOf(top);
  const known = remembered.get(folder);
  if (known !== undefined && known.basis === basis) return known.place;
  remembered.delete(folder);
  const place = await askGit(folder, env);
  if (basis === undefined || place.root !== top || !isExpected(place, top)) return place;
  // The oldest goes first.
  for (const oldest of remembered.keys()) if (remembered.size >= maxRemembered) remembered.delete(oldest);
  remembered.set(folder, { basis, place });
  return place;
}

/** Whether git uses exactly the folders whose files are the basis of what is remembered. */
function isExpected({ objects, index }: GitPlace, top: RawPath): boolean {
  const { own, shared } = gitFoldersOf(top);
  return index === join(own, 'index') && objects === join(shared, 'objects');
}

/**
 * All that decides whether git accepts the nearest `.git` and where it looks for its parts. Git reads the settings that
 * matter here, such as `core.worktree`, from these two files only.
 */
function basisOf(top: RawPath): string {
  const { own, shared } = gitFoldersOf(top);
  const texts = [join(own, 'HEAD'), join(own, 'config.worktree'), join(shared, 'config')].map(readSmallText);
  const parts = [join(shared, 'objects'), join(shared, 'refs')].map(exists);
  return JSON.stringify([top, own, shared, ...texts, ...parts]);
}

const questions = ['--show-object-format', '--git-path', 'objects', '--git-path', 'index', '--show-toplevel'];
// A folder's name may contain a line break.
const answer = /^(\w+)\n(.+?\/objects)\n(.+?\/index)\n(.+)\n$/s;

async function askGit(folder: string, env: NodeJS.ProcessEnv): Promise<GitPlace> {
  const printed = (await git(folder, { args: ['rev-parse', ...questions], env })).toString('latin1');
  const [, algorithm, objects, index, root] = answer.exec(printed) ?? [];
  if (algorithm === undefined || objects === undefined || index === undefined || root === undefined) {
    throw new Unreadable('git rev-parse did not name the repository');
  }
  const absolute = (place: RawPath) => path.posix.resolve(toRaw(folder), place);
  return { root, algorithm, objects: absolute(objects), index: absolute(index) };
}

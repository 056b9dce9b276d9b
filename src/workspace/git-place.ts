import path from 'node:path';
import { exists } from './content.ts';
import { realFolder } from './folder.ts';
import { git } from './git.ts';
import { findGitTop, gitFoldersOf, settingsTexts } from './git-folder.ts';
import { createMemory } from './memory.ts';
import { join, type RawPath, toRaw } from './raw-path.ts';
import { isReadError, Unreadable } from './unreadable.ts';

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

const remembered = createMemory<GitPlace>();

/**
 * The repository that a folder belongs to; throws if git finds none. The answer is cached as long as everything it
 * depends on is unchanged: a repository may be created, moved or configured at any time.
 */
export async function findGitPlace(given: string, env: NodeJS.ProcessEnv): Promise<GitPlace> {
  const folder = realFolder(given);
  const top = findGitTop(folder);
  const basis = top === undefined ? undefined : basisOf(top);
  const known = basis === undefined ? undefined : remembered.get(folder, basis);
  if (known !== undefined) return known;
  const place = await askGit(folder, env);
  if (basis !== undefined && place.root === top && isExpected(place, top)) remembered.set(folder, basis, place);
  return place;
}

/** Whether a folder belongs to the work tree of a repository. */
export async function isInRepository(folder: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await findGitPlace(folder, env);
    return true;
  } catch (error) {
    if (isReadError(error)) return false;
    throw error;
  }
}

/** Whether git uses exactly the folders that the cached answer depends on. */
function isExpected({ objects, index }: GitPlace, top: RawPath): boolean {
  const { own, shared } = gitFoldersOf(top);
  return index === join(own, 'index') && objects === join(shared, 'objects');
}

/**
 * All that decides whether git accepts the nearest `.git` and where it looks for its parts. Git reads the settings that
 * matter here, such as `core.worktree`, from these files only.
 */
function basisOf(top: RawPath): string | undefined {
  const { own, shared } = gitFoldersOf(top);
  const files = [join(own, 'HEAD'), join(own, 'commondir'), join(own, 'config.worktree'), join(shared, 'config')];
  const texts = settingsTexts(files);
  const parts = [join(shared, 'objects'), join(shared, 'refs')].map(exists);
  return texts && JSON.stringify([top, own, shared, ...texts, ...parts]);
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

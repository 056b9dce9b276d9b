import { lstatSync } from 'node:fs';
import path from 'node:path';
import {
  generatedRules,
  git,
  gitFoldersOf,
  gitPathSetting,
  type IgnoreRules,
  isIgnored,
  isReadError,
  joinRaw,
  parseIgnoreRules,
  type RawPath,
  readSmallText,
  realFolder,
  toRaw,
  toText,
} from '../../workspace/index.ts';

/** What only git knows about a work tree. Contents are read from the disk, never from git. */
export interface GitNames {
  /** Files that count even where a rule ignores them, relative to the top. */
  readonly tracked: readonly RawPath[];
  /** The text of the user's own ignore rules for all repositories. */
  readonly userRules: string;
}

/** The files that git tracks, in the index and in the last commit, and the user's own ignore rules. */
export async function namesFromGit(top: string, env: NodeJS.ProcessEnv): Promise<GitNames> {
  const list = async (...args: readonly string[]): Promise<readonly RawPath[] | undefined> => {
    try {
      const listed = await git(top, { args, env });
      return listed.toString('latin1').split('\0').slice(0, -1);
    } catch (error) {
      if (!isReadError(error)) throw error;
      return undefined;
    }
  };
  if (!hasRepository(toRaw(top))) return { tracked: [], userRules: '' };
  const both = await list('ls-files', '-z', '--with-tree=HEAD');
  // Before the first commit, or with a damaged index, there is only one of the two.
  const own = both ?? [...((await list('ls-files', '-z')) ?? []), ...((await list(...commitArgs)) ?? [])];
  // Fails as a whole where one submodule is broken.
  const inner = mayHaveSubmodules(top, own) ? await list('ls-files', '-z', '--recurse-submodules') : undefined;
  const place = (await gitPathSetting(top, 'core.excludesFile', env)) || defaultRules(env);
  return { tracked: [...new Set([...own, ...(inner ?? [])])], userRules: readSmallText(place) };
}

const commitArgs = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD'];

/** Git looks for their list in the work tree, then in the index and the commit. */
function mayHaveSubmodules(top: string, tracked: readonly RawPath[]): boolean {
  return (
    tracked.includes('.gitmodules') || lstatSync(path.join(top, '.gitmodules'), { throwIfNoEntry: false }) !== undefined
  );
}

function defaultRules({ XDG_CONFIG_HOME, HOME }: NodeJS.ProcessEnv): RawPath {
  return toRaw(path.join(XDG_CONFIG_HOME || path.join(HOME ?? '/', '.config'), 'git/ignore'));
}

/** Whether a folder is the top of a repository's work tree. */
export function hasRepository(folder: RawPath): boolean {
  return lstatSync(path.join(toText(folder), '.git'), { throwIfNoEntry: false }) !== undefined;
}

/**
 * The top of the work tree that contains a folder; the folder itself where there is none, or where that work tree ignores
 * the folder.
 */
export function findTop(folder: string): string {
  const real = realFolder(folder);
  for (let top = real; ; top = path.dirname(top)) {
    if (hasRepository(toRaw(top))) return isIgnoredIn(toRaw(top), toRaw(path.relative(top, real))) ? real : top;
    if (top === path.dirname(top)) return real;
  }
}

function isIgnoredIn(top: RawPath, folder: RawPath): boolean {
  if (folder === '') return false;
  let rules = repositoryRules(top, '', '');
  let place = '';
  for (const name of folder.split('/')) {
    rules = rulesIn(top, place, rules);
    place = joinRaw(place, name);
    if (isIgnored(place, true, rules)) return true;
  }
  return false;
}

/** The ignore rules for a whole repository at or below the top: the user's, and those of its exclude file. */
export function repositoryRules(top: RawPath, place: RawPath, userRules: string): IgnoreRules {
  const own = readSmallText(joinRaw(gitFoldersOf(joinRaw(top, place)).shared, 'info/exclude'));
  return parseIgnoreRules(own, place, parseIgnoreRules(userRules, place));
}

/** The ignore rules outside git. */
export const rulesOutsideGit: IgnoreRules = generatedRules;

/** The rules in a folder: its own and those of its parents. */
export function rulesIn(top: RawPath, folder: RawPath, parent: IgnoreRules): IgnoreRules {
  const text = readSmallText(joinRaw(top, joinRaw(folder, '.gitignore')));
  return text === '' ? parent : parseIgnoreRules(text, folder, parent);
}

/** The paths of the submodules of a repository, relative to its top. */
export function submodulesOf(repository: RawPath): ReadonlySet<RawPath> {
  const lines = readSmallText(joinRaw(repository, '.gitmodules')).split('\n');
  const paths = lines.map((line) => /^\s*path\s*=\s*(?:"(.*)"|(.*?))\s*$/.exec(line));
  return new Set(paths.flatMap((found) => (found?.[1]?.replace(/\\(.)/g, '$1') ?? found?.[2] ?? []) || []));
}

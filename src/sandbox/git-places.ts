import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Bind } from '../process/index.ts';

/** How the repository of a work tree appears in a sandbox. */
export interface GitPlaces {
  readonly binds: readonly Bind[];
  /** Folders that appear empty. */
  readonly hidden: readonly string[];
  /** What is not there, and must not be there afterwards: it would make git read settings from elsewhere. */
  readonly absent: readonly string[];
  /** The git folders that can be written. */
  readonly folders: readonly string[];
  /** Why this repository cannot be protected. */
  readonly problem?: string | undefined;
}

/** The nearest folder, from this one upwards, that contains a `.git`; the folder itself where none does. */
export function topOf(folder: string): string {
  for (let top = folder; ; top = path.dirname(top)) {
    if (lstatSync(path.join(top, '.git'), { throwIfNoEntry: false }) !== undefined) return top;
    if (top === path.dirname(top)) return folder;
  }
}

/**
 * The repository can be written, except for what makes git start programs: its hooks and its settings. Each is a mount of
 * its own, and so is the git folder: none of them can be renamed or replaced.
 */
export function gitPlaces(top: string, cwd: string): GitPlaces {
  return joined([placesAt(top), settingsInTree(top), { ...nothing, absent: repositoriesBetween(top, cwd) }]);
}

/** Files of the work tree that the settings of the repository include are settings, too. */
function settingsInTree(top: string): GitPlaces {
  const own = path.join(top, '.git');
  const folder = lstatSync(own, { throwIfNoEntry: false })?.isDirectory() ? own : ownFolder(own);
  if (folder === undefined) return nothing;
  const files = ['config', 'config.worktree'].flatMap((name) => includedBy(path.join(sharedFolder(folder), name)));
  const inTree = files.filter((file) => file.startsWith(`${top}/`) && !file.startsWith(`${own}/`));
  const found = inTree.filter((file) => existsSync(file));
  return { ...nothing, binds: found.map(fixed), absent: inTree.filter((file) => !found.includes(file)) };
}

/** The files that a file of settings includes, and those that these include; whatever else has a `path` does no harm here. */
function includedBy(file: string, depth = 0): readonly string[] {
  if (depth > 10 || !isFile(file)) return [];
  const named = [...readFileSync(file, 'utf8').matchAll(/^[^#;\n]*?\bpath\s*=\s*"?([^"\n]+?)"?\s*$/gimu)];
  const files = named.map(([, name = '']) => path.resolve(path.dirname(file), name));
  return files.flatMap((each) => [each, ...includedBy(each, depth + 1)]);
}

/** A repository in a folder between would be the one that git finds from the working directory. */
function repositoriesBetween(top: string, folder: string): readonly string[] {
  return folder === top ? [] : [path.join(folder, '.git'), ...repositoriesBetween(top, path.dirname(folder))];
}

function placesAt(top: string): GitPlaces {
  const place = path.join(top, '.git');
  const stats = lstatSync(place, { throwIfNoEntry: false });
  // A repository that an agent creates has the agent's hooks and filters.
  if (stats === undefined) return { ...nothing, hidden: [place] };
  if (stats.isSymbolicLink()) return { ...nothing, problem: `${place} is a symbolic link` };
  if (stats.isDirectory()) return joined([keptIn(place), { ...nothing, binds: [writable(place)], folders: [place] }]);
  const own = ownFolder(place);
  if (own === undefined) return { ...nothing, problem: `${place} names no folder of git` };
  const shared = sharedFolder(own);
  const parts = [keptIn(shared), ...(own.startsWith(`${shared}/`) ? [] : [{ ...nothing, binds: [writable(own)] }])];
  const open = { ...nothing, binds: [fixed(place), writable(shared)], folders: [shared, own] };
  return joined([...parts, open, worktreeSettings(own)]);
}

const nothing: GitPlaces = { binds: [], hidden: [], absent: [], folders: [] };

function joined(parts: readonly GitPlaces[]): GitPlaces {
  return {
    binds: parts.flatMap(({ binds }) => binds),
    hidden: parts.flatMap(({ hidden }) => hidden),
    absent: parts.flatMap(({ absent }) => absent),
    folders: parts.flatMap(({ folders }) => folders),
    problem: parts.find(({ problem }) => problem !== undefined)?.problem,
  };
}

/** What stays as it is in a git folder, and in those of its submodules. */
function keptIn(folder: string): GitPlaces {
  const hooks = path.join(folder, 'hooks');
  const stats = lstatSync(hooks, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return { ...nothing, problem: `${hooks} is a symbolic link` };
  const own: GitPlaces = {
    ...nothing,
    binds: stats === undefined ? [] : [fixed(hooks)],
    hidden: stats === undefined ? [hooks] : [],
    absent: ['commondir'].map((name) => path.join(folder, name)),
  };
  const worktrees = foldersIn(path.join(folder, 'worktrees')).map(worktreeSettings);
  const modules = modulesIn(path.join(folder, 'modules')).map(keptIn);
  return joined([own, settingsOf(folder), ...worktrees, ...modules]);
}

function settingsOf(folder: string): GitPlaces {
  const names = ['config', 'config.worktree'].map((name) => path.join(folder, name));
  const found = names.filter((file) => existsSync(file));
  return { ...nothing, binds: found.map(fixed), absent: names.filter((file) => !found.includes(file)) };
}

/**
 * The links in a git folder through which git would write somewhere else: into a list of commits, a branch, the text of a commit.
 * Objects are named by their content, so only their folders count.
 */
export function linksIn(folder: string): readonly string[] {
  return entriesIn(folder).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isSymbolicLink()) return [place];
    return entry.isDirectory() && !/^[\da-f]{2}$/u.test(entry.name) ? linksIn(place) : [];
  });
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The git folder of a linked worktree also says where the shared one is: what it names will be writable. */
function worktreeSettings(folder: string): GitPlaces {
  const links = ['commondir', 'gitdir'].map((name) => path.join(folder, name)).filter((file) => existsSync(file));
  return joined([settingsOf(folder), { ...nothing, binds: links.map(fixed) }]);
}

/** Submodules may be nested, by their names or in each other. */
function modulesIn(folder: string): readonly string[] {
  return foldersIn(folder).flatMap((each) => (existsSync(path.join(each, 'HEAD')) ? [each] : modulesIn(each)));
}

function foldersIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(folder, name));
}

function ownFolder(file: string): string | undefined {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  const named = /^gitdir: (.*?)\n*$/s.exec(readFileSync(file, 'utf8'))?.[1];
  const folder = named === undefined ? undefined : path.resolve(path.dirname(file), named);
  return folder !== undefined && existsSync(folder) ? realpathSync(folder) : undefined;
}

function sharedFolder(own: string): string {
  const file = path.join(own, 'commondir');
  return isFile(file) ? realpathSync(path.resolve(own, readFileSync(file, 'utf8').trim())) : own;
}

/** To read a pipe would be to wait for whoever writes into it. */
function isFile(place: string): boolean {
  return existsSync(place) && statSync(place).isFile();
}

function writable(place: string): Bind {
  return { source: place, target: place, writable: true };
}

function fixed(place: string): Bind {
  return { source: place, target: place, writable: false };
}

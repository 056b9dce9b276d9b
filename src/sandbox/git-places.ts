import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Bind } from '../process/index.ts';

/** How the repository of a work tree appears in a sandbox. */
export interface GitPlaces {
  readonly binds: readonly Bind[];
  /** Folders that appear empty. */
  readonly hidden: readonly string[];
  /** What is not there, and must not be there afterwards: it would make git read settings from elsewhere. */
  readonly absent: readonly string[];
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
export function gitPlaces(top: string): GitPlaces {
  const place = path.join(top, '.git');
  const stats = lstatSync(place, { throwIfNoEntry: false });
  // A repository that an agent creates has the agent's hooks and filters.
  if (stats === undefined) return { binds: [], hidden: [place], absent: [] };
  if (stats.isSymbolicLink()) return { ...nothing, problem: `${place} is a symbolic link` };
  if (stats.isDirectory()) return joined([keptIn(place), { ...nothing, binds: [writable(place)] }]);
  const own = ownFolder(place);
  if (own === undefined) return { ...nothing, problem: `${place} names no folder of git` };
  const shared = sharedFolder(own);
  const parts = [keptIn(shared), ...(own.startsWith(`${shared}/`) ? [] : [{ ...nothing, binds: [writable(own)] }])];
  return joined([...parts, { ...nothing, binds: [fixed(place), writable(shared)] }, worktreeSettings(own)]);
}

const nothing: GitPlaces = { binds: [], hidden: [], absent: [] };

function joined(parts: readonly GitPlaces[]): GitPlaces {
  return {
    binds: parts.flatMap(({ binds }) => binds),
    hidden: parts.flatMap(({ hidden }) => hidden),
    absent: parts.flatMap(({ absent }) => absent),
    problem: parts.find(({ problem }) => problem !== undefined)?.problem,
  };
}

/** What stays as it is in a git folder, and in those of its submodules. */
function keptIn(folder: string): GitPlaces {
  const hooks = path.join(folder, 'hooks');
  const stats = lstatSync(hooks, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return { ...nothing, problem: `${hooks} is a symbolic link` };
  const own: GitPlaces = {
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
  const named = /^gitdir: (.*?)\n*$/s.exec(readFileSync(file, 'utf8'))?.[1];
  const folder = named === undefined ? undefined : path.resolve(path.dirname(file), named);
  return folder !== undefined && existsSync(folder) ? realpathSync(folder) : undefined;
}

function sharedFolder(own: string): string {
  const file = path.join(own, 'commondir');
  return existsSync(file) ? realpathSync(path.resolve(own, readFileSync(file, 'utf8').trim())) : own;
}

function writable(place: string): Bind {
  return { source: place, target: place, writable: true };
}

function fixed(place: string): Bind {
  return { source: place, target: place, writable: false };
}

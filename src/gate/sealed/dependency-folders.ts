import { type Dirent, readdirSync } from 'node:fs';
import { joinRaw, type RawPath, toBytes, toRaw } from '../../workspace/index.ts';

/** Folders that only package managers fill: not work even where no rule ignores them, unless git tracks them. */
const packageFolders = [
  'node_modules',
  'bower_components',
  'jspm_packages',
  '.venv',
  'venv',
  '__pypackages__',
  '.tox',
  '.nox',
  '.dart_tool',
];
/** Folders whose names the work may use too: not work where a rule ignores them. */
const ignoredFolders = ['vendor', '.bundle', 'target', 'deps', '_build', 'Pods', 'obj'];

/** Nested ones, relative to the folder of a project. */
const folderPaths = ['.yarn/cache', '.yarn/unplugged', '.yarn/releases', '.yarn/plugins'];

/** Small files that are usually ignored and that checks need: settings of this machine, and yarn's package map. */
const fileNames = /^(?:\.env(?:\..+)?|\.pnp\.(?:c|loader\.m)?js|\.npmrc|\.yarnrc(?:\.yml)?|local\.properties)$/;

interface DependencySearch {
  /** The top of the work tree. */
  readonly top: string;
  /** The files of the work. */
  readonly files: readonly RawPath[];
  /** Files that git tracks, even where a rule ignores them. */
  readonly tracked: ReadonlySet<RawPath>;
  /** Further names, or paths relative to the work folder. */
  readonly share: readonly string[];
  /** The work folder, relative to the top. */
  readonly prefix: string;
}

interface DependencyPlaces {
  readonly folders: readonly RawPath[];
  readonly files: readonly RawPath[];
}

/**
 * The folders and files of the work tree that are not work but that its checks need, relative to the top. They are
 * searched next to the files of the work, at any depth; a folder that contains tracked files is part of the work.
 */
export function findDependencies({ top, files, tracked, share, prefix }: DependencySearch): DependencyPlaces {
  const packages = new Set(packageFolders.map(toRaw));
  const ignored = new Set([...ignoredFolders, ...share.filter((each) => !each.includes('/'))].map(toRaw));
  const work = [...files.filter((file) => !isBelowName(file, packages)), ...tracked];
  const inWork = foldersOf(work);
  const withTracked = foldersOf([...tracked]);
  const known = new Set(files);
  const folders = new Set<RawPath>();
  const single: RawPath[] = [];
  for (const folder of inWork) {
    for (const entry of list(joinRaw(toRaw(top), folder))) {
      const path = joinRaw(folder, entry.name);
      const isDependency = packages.has(entry.name)
        ? !withTracked.has(path)
        : ignored.has(entry.name) && !inWork.has(path);
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && isFolderAt(top, path, withTracked));
      if (isDependency && isFolder) folders.add(path);
      if (entry.isFile() && fileNames.test(entry.name) && !known.has(path) && !tracked.has(path)) single.push(path);
    }
    for (const deeper of folderPaths)
      if (isFolderAt(top, joinRaw(folder, deeper), withTracked)) folders.add(joinRaw(folder, deeper));
  }
  for (const path of share.filter((each) => each.includes('/') && !each.startsWith('/'))) {
    const place = joinRaw(toRaw(prefix), toRaw(path.replace(/^\.\//, '').replace(/\/+$/, '')));
    if (isFolderAt(top, place, withTracked)) folders.add(place);
  }
  return { folders: [...folders].filter((folder) => !isInsideAny(folder, folders)).sort(), files: single.sort() };
}

/** All parent folders of these files, and the top. */
function foldersOf(files: readonly RawPath[]): ReadonlySet<RawPath> {
  const folders = new Set<RawPath>(['']);
  for (const file of files) {
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const folder = file.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

function isBelowName(file: RawPath, names: ReadonlySet<string>): boolean {
  return file
    .split('/')
    .slice(0, -1)
    .some((name) => names.has(name));
}

export function isInsideAny(path: RawPath, folders: ReadonlySet<RawPath>): boolean {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    if (folders.has(path.slice(0, at))) return true;
  }
  return false;
}

function isFolderAt(top: string, path: RawPath, withTracked: ReadonlySet<RawPath>): boolean {
  return !withTracked.has(path) && list(joinRaw(toRaw(top), path)).length > 0;
}

function list(folder: RawPath): readonly Dirent[] {
  try {
    return readdirSync(toBytes(folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return [];
  }
}

import { type Dirent, readdirSync } from 'node:fs';
import {
  type IgnoreRules,
  isIgnored,
  isMadeByTool,
  joinRaw,
  type RawPath,
  toBytes,
  Unreadable,
  versionControlFolders,
} from '../../workspace/index.ts';
import { type GitNames, hasRepository, repositoryRules, rulesIn, rulesOutsideGit, submodulesOf } from './git-files.ts';

interface Listing {
  readonly entries: readonly Entry[];
  /** Folders without read permission. */
  readonly closed: readonly RawPath[];
  /** Nested repositories that are not submodules. */
  readonly nested: readonly RawPath[];
}

/** A file, a link, or anything else that is not a folder. */
export interface Entry {
  readonly path: RawPath;
  readonly kind: 'file' | 'link' | 'special';
}

export interface Place {
  readonly top: RawPath;
  /** Relative to the top: excluded with everything below. */
  readonly excluded: ReadonlySet<RawPath>;
  readonly names?: GitNames | undefined;
}

interface Folder {
  readonly path: RawPath;
  readonly rules: IgnoreRules;
  /** The folder is ignored: only tracked files in it count. */
  readonly onlyTracked: boolean;
  /** The submodules of the repository that contains it, relative to the top. */
  readonly submodules: ReadonlySet<RawPath>;
}

const maxFiles = 200_000;

/** Lists every file that is not ignored, by our own reading of the ignore rules. */
export function listCandidate(place: Place): Listing {
  const { top, excluded, names } = place;
  const inGit = hasRepository(top);
  const tracked = trackedIn(names?.tracked ?? []);
  const found = { entries: [] as Entry[], closed: [] as RawPath[], nested: [] as RawPath[] };
  const folders: Folder[] = [firstFolder(place, inGit)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const listed = list(joinRaw(top, folder.path), folder.path === '');
    if (listed === 'closed') {
      found.closed.push(folder.path);
      continue;
    }
    const own = new Set(listed.map(({ name }) => name));
    if (!inGit && folder.path !== '' && isMadeByTool(joinRaw(top, folder.path), own)) continue;
    const inside = enter(place, folder, own);
    if (inside.isNested) found.nested.push(folder.path);
    for (const entry of listed) {
      const path = joinRaw(folder.path, entry.name);
      const isFolder = entry.isDirectory();
      if (entry.name === '.git' || excluded.has(path)) continue;
      if (!inGit && versionControlFolders.has(entry.name)) continue;
      const ignored = folder.onlyTracked || isIgnored(path, isFolder, inside.rules);
      if (ignored && !(isFolder ? tracked.folders : tracked.files).has(path)) continue;
      if (isFolder) folders.push({ ...inside, path, onlyTracked: ignored && !tracked.files.has(path) });
      else found.entries.push({ path, kind: kindOf(entry) });
    }
    if (found.entries.length > maxFiles) throw new Unreadable(`there are more than ${maxFiles} files`);
  }
  return found;
}

function firstFolder({ top, names }: Place, inGit: boolean): Folder {
  const rules = inGit ? repositoryRules(top, '', names?.userRules ?? '') : rulesOutsideGit;
  return { path: '', rules, onlyTracked: false, submodules: inGit ? submodulesOf(top) : new Set() };
}

/**
 * The rules inside a folder. A submodule has its own `.gitmodules` and exclude file; those of any other nested repository
 * are not trusted to hide files.
 */
function enter({ top, names }: Place, folder: Folder, own: ReadonlySet<string>) {
  const { path, submodules } = folder;
  const isInner = path !== '' && own.has('.git');
  const isSubmodule = isInner && submodules.has(path);
  const parent = isSubmodule ? repositoryRules(top, path, names?.userRules ?? '') : folder.rules;
  return {
    isNested: isInner && !isSubmodule,
    rules: own.has('.gitignore') ? rulesIn(top, path, parent) : parent,
    submodules: isInner ? below(path, submodulesOf(joinRaw(top, path))) : submodules,
  };
}

function below(folder: RawPath, paths: ReadonlySet<RawPath>): ReadonlySet<RawPath> {
  return new Set([...paths].map((path) => joinRaw(folder, path)));
}

/** Tracked files and all their parent folders. A submodule is tracked as a whole. */
function trackedIn(paths: readonly RawPath[]) {
  const files = new Set(paths);
  const folders = new Set(paths);
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return { files, folders };
}

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file';
  return entry.isSymbolicLink() ? 'link' : 'special';
}

function list(folder: RawPath, isTop: boolean): readonly Dirent[] | 'closed' {
  try {
    return readdirSync(toBytes(folder), { withFileTypes: true, encoding: 'latin1' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // A folder may disappear during the walk; only the top itself must exist.
    if (isTop) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    if (code === 'EACCES') return 'closed';
    throw error;
  }
}

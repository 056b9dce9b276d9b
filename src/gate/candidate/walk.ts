import { type Dirent, readdirSync } from 'node:fs';
import {
  type IgnoreRules,
  isIgnored,
  isMadeByTool,
  joinRaw,
  type RawPath,
  toBytes,
  Unreadable,
  VERSION_CONTROL,
} from '../../workspace/index.ts';
import { type GitNames, hasRepository, repositoryRules, rulesIn, rulesOutsideGit, submodulesOf } from './git-files.ts';

/** What lies in a work tree and counts. */
export interface Listing {
  /** Plain files, links and whatever else is no folder. */
  readonly entries: readonly Entry[];
  /** Folders that may not be read. */
  readonly closed: readonly RawPath[];
  /** Repositories inside that are no submodules. */
  readonly nested: readonly RawPath[];
}

/** Something that is no folder, as its folder lists it. */
export interface Entry {
  readonly path: RawPath;
  readonly kind: 'file' | 'link' | 'special';
}

/** Where to look. */
export interface Place {
  readonly top: RawPath;
  /** Seen from the top: left out with everything below. */
  readonly excluded: ReadonlySet<RawPath>;
  readonly names?: GitNames | undefined;
}

interface Folder {
  readonly path: RawPath;
  readonly rules: IgnoreRules;
  /** The folder is ignored: of what is in it only tracked files count. */
  readonly onlyTracked: boolean;
  /** The submodules that the repository around it names, seen from the top. */
  readonly submodules: ReadonlySet<RawPath>;
}

const maxFiles = 200_000;

/** Lists every file that counts, with our own reading of the ignore rules. */
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
      if (!inGit && VERSION_CONTROL.has(entry.name)) continue;
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
 * The rules inside a folder. A submodule has its own, as its `.gitmodules` and its exclude file have them; those of any
 * other repository inside are not trusted to take files away.
 */
function enter({ top, names }: Place, folder: Folder, own: ReadonlySet<string>) {
  const { path, submodules } = folder;
  const isInner = path !== '' && own.has('.git');
  const isSubmodule = isInner && submodules.has(path);
  const around = isSubmodule ? repositoryRules(top, path, names?.userRules ?? '') : folder.rules;
  return {
    isNested: isInner && !isSubmodule,
    rules: own.has('.gitignore') ? rulesIn(top, path, around) : around,
    submodules: isInner ? below(path, submodulesOf(joinRaw(top, path))) : submodules,
  };
}

function below(folder: RawPath, paths: ReadonlySet<RawPath>): ReadonlySet<RawPath> {
  return new Set([...paths].map((path) => joinRaw(folder, path)));
}

/** Tracked files, and every folder on the way to one. A submodule is tracked as a whole. */
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
    // A folder may go while we look; only the top itself has to be there.
    if (isTop) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    if (code === 'EACCES') return 'closed';
    throw error;
  }
}

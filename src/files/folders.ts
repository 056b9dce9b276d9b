import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { errorCode, reading, writing } from './disk-errors.ts';
import type { FileInfo, FilePort } from './file-port.ts';

/** What is at a path, of any kind; undefined if nothing is. */
export function look(files: FilePort, place: string): FileInfo | undefined {
  return reading(place, () => files.look(place));
}

/** The same for a path in the user's project, of which anything may be in the way: what cannot be reached is not there. */
export function lookInProject(files: FilePort, place: string): FileInfo | undefined {
  try {
    return files.look(place);
  } catch {
    return undefined;
  }
}

/** What is at a path; refuses links, other owners and any other kind. */
export function lookSafely(files: FilePort, place: string, kind: 'file' | 'folder'): FileInfo | undefined {
  const info = look(files, place);
  if (info) assertSafe(files, place, { info, kind });
  return info;
}

/** Refuses a link, a file of another user (unless this user is root) and any other kind. */
export function assertSafe(
  files: FilePort,
  place: string,
  found: { readonly info: FileInfo; readonly kind: 'file' | 'folder' },
): void {
  const { info, kind } = found;
  if (info.kind === 'link') throw new LoopError(failures.unsafePath(place, 'a symbolic link'));
  if (info.kind !== kind) throw new LoopError(failures.unsafePath(place, `not a plain ${kind}`));
  const { userId } = files;
  if (userId !== undefined && userId !== 0 && info.userId !== userId) {
    throw new LoopError(failures.unsafePath(place, `owned by another user (${info.userId})`));
  }
}

/** Whether every folder from `root` down to `place` exists; refuses a link at any level. */
export function hasFolder(files: FilePort, root: string, place: string): boolean {
  return levels(root, place).every((level) => lookSafely(files, level, 'folder') !== undefined);
}

/** Creates `place` and missing folders between it and `root` (0700, names synced); refuses a link at any level. */
export function makeFolders(files: FilePort, root: string, place: string): void {
  for (const level of levels(root, place)) {
    if (makeFolder(files, level) === 'found' && level !== root) syncName(files, level);
  }
}

/**
 * Creates the same folders without syncing their names: until `makeFolders` is called for them, a power cut may take them.
 * The death of this process does not.
 */
export function placeFolders(files: FilePort, root: string, place: string): void {
  let isNew = false;
  for (const level of levels(root, place)) {
    // Nothing can be in a folder that was just created.
    if (!isNew && lookSafely(files, level, 'folder')) continue;
    isNew = writing(level, () => createFolder(files, level));
    syncedNames.get(files)?.delete(level);
    if (!isNew) lookSafely(files, level, 'folder');
  }
}

/** Creates `root` and missing folders above it; links above the root are allowed. */
export function makeRoot(files: FilePort, root: string): void {
  const above = path.dirname(root);
  if (above !== root && look(files, above) === undefined) makeRoot(files, above);
  makeFolder(files, root);
}

function makeFolder(files: FilePort, place: string): 'found' | 'made' {
  if (lookSafely(files, place, 'folder')) return 'found';
  writing(place, () => {
    createFolder(files, place);
    files.syncFolder(path.dirname(place));
  });
  noteSynced(files, place);
  lookSafely(files, place, 'folder');
  return 'made';
}

/** Whether this made it; otherwise somebody else did meanwhile. */
function createFolder(files: FilePort, place: string): boolean {
  try {
    files.makeFolder(place);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

const syncedNames = new WeakMap<FilePort, Set<string>>();

// The process that created an existing folder may have died before syncing its name, so it is synced once here.
function syncName(files: FilePort, place: string): void {
  if (syncedNames.get(files)?.has(place)) return;
  writing(place, () => files.syncFolder(path.dirname(place)));
  noteSynced(files, place);
}

function noteSynced(files: FilePort, place: string): void {
  const synced = syncedNames.get(files) ?? new Set();
  if (synced.size >= 1000) synced.clear();
  syncedNames.set(files, synced.add(place));
}

function levels(root: string, place: string): readonly string[] {
  const below = path.relative(root, place);
  if (below === '..' || below.startsWith(`..${path.sep}`) || path.isAbsolute(below)) {
    throw new LoopError(failures.unsafePath(place, `outside ${root}`));
  }
  const names = below === '' ? [] : below.split(path.sep);
  return names.reduce<string[]>((found, name) => [...found, path.join(found.at(-1) ?? root, name)], [root]);
}

/** Whether this process may create files in a folder, or in the nearest folder above it that exists. */
export function canWriteIn(folder: string): boolean {
  for (let place = folder; ; place = path.dirname(place)) {
    try {
      accessSync(place, constants.W_OK);
      return true;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || place === path.dirname(place)) return false;
    }
  }
}

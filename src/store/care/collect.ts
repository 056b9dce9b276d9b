import path from 'node:path';
import { isLoopId } from '../../base/index.ts';
import { type CareFiles, look, writing } from '../../files/index.ts';
import { excessCheckpoints, type IsKept } from '../checkpoint/prune.ts';
import { acquireLock } from '../lock/acquire.ts';
import type { LockPort } from '../lock/lock-port.ts';
import type { RootedPlace } from '../place.ts';
import { walk } from './walk.ts';

/** Something that is no longer needed. */
export interface Leftover {
  readonly path: string;
  readonly bytes: number;
  readonly why: string;
}

/** What may be removed. */
export interface Retention {
  /** Nothing that was changed since may be removed. */
  readonly beforeMs: number;
  /** Whether a checkpoint must be kept whatever its age. */
  readonly isKept: IsKept;
}

/** A loop's folder on a disk that can be tidied. */
export interface CarePlace extends RootedPlace {
  readonly files: CareFiles;
}

/** What a finished loop no longer needs: old checkpoints, old temporary files, old damaged ones. */
export function leftoversOf(place: CarePlace, retention: Retention): readonly Leftover[] {
  return [...oldCheckpoints(place, retention), ...oldScraps(place.files, place.folder, retention)];
}

/** Leftovers outside the loops: temporary files of the registry, and loops whose removal was interrupted. */
export function leftoversOfRoot(files: CareFiles, root: string, { beforeMs }: Retention): readonly Leftover[] {
  const names = look(files, root)?.kind === 'folder' ? files.list(root) : [];
  const scraps = names.flatMap((name) => scrapAt(files, path.join(root, name), beforeMs));
  const loops = path.join(root, 'loops');
  const inLoops = look(files, loops)?.kind === 'folder' ? files.list(loops) : [];
  const whole = (name: string, why: string) => wholeFolder(files, path.join(loops, name), why);
  return [
    ...scraps,
    ...inLoops.filter(isRemovedLoop).map((name) => whole(name, 'a removed loop')),
    ...inLoops
      .filter((name) => isHalfRestored(name) && isOld(files, path.join(loops, name), beforeMs))
      .map((name) => whole(name, 'a restore that was cut off')),
  ];
}

function isHalfRestored(name: string): boolean {
  return /^\.restoring-[0-9a-f]+\.tmp$/.test(name);
}

function isOld(files: CareFiles, folder: string, beforeMs: number): boolean {
  const info = files.lookClosely(folder);
  return info?.kind === 'folder' && info.modifiedMs < beforeMs;
}

/** A whole loop, as something that may be removed. */
export function loopAsLeftover({ files, folder }: CarePlace, why: string): Leftover {
  return wholeFolder(files, folder, why);
}

/** Removes files and folders; a missing one is not a failure. */
export function removeLeftovers(files: CareFiles, leftovers: readonly Leftover[]): void {
  for (const { path: place } of leftovers) removeTree(files, place);
}

/** Holds a loop's lock while it is tidied; throws, and does nothing, if a process owns it. */
export function whileUnowned<Result>(place: CarePlace, lock: LockPort, action: () => Result): Result {
  using _ownership = acquireLock({ ...place, lock });
  return action();
}

/** Keeps every other process from owning a loop, or refuses with the process that does. */
export function holdUnowned(place: CarePlace, lock: LockPort): Disposable {
  return acquireLock({ ...place, lock });
}

/** Removes a whole loop. Its new name takes it off the list in one step, so that half of it never counts as one. */
export function removeLoop({ files, folder, loopId }: CarePlace): void {
  const loops = path.dirname(folder);
  const removed = path.join(loops, `.${loopId}.${files.uniqueName()}.removed`);
  writing(folder, () => {
    files.rename(folder, removed);
    files.syncFolder(loops);
  });
  removeTree(files, removed);
}

function isRemovedLoop(name: string): boolean {
  const [empty, loopId = '', , last] = name.split('.');
  return empty === '' && isLoopId(loopId) && last === 'removed';
}

function oldCheckpoints(place: CarePlace, { beforeMs, isKept }: Retention): readonly Leftover[] {
  return excessCheckpoints(place, isKept).flatMap((file) => {
    const info = place.files.lookClosely(file);
    if (info?.kind !== 'file' || info.modifiedMs >= beforeMs) return [];
    return [{ path: file, bytes: info.size, why: 'an old checkpoint' }];
  });
}

function oldScraps(files: CareFiles, folder: string, { beforeMs }: Retention): readonly Leftover[] {
  return [...walk(files, folder)].flatMap((found) => scrapAt(files, found.path, beforeMs));
}

function scrapAt(files: CareFiles, place: string, beforeMs: number): readonly Leftover[] {
  const name = path.basename(place);
  const isTemporary = /^\..+\.tmp$/.test(name);
  if (!isTemporary && !/\.broken(-[^.]*)?$/.test(name)) return [];
  const info = files.lookClosely(place);
  if (info?.kind !== 'file' || info.modifiedMs >= beforeMs) return [];
  return [{ path: place, bytes: info.size, why: isTemporary ? 'an old temporary file' : 'an old damaged file' }];
}

function wholeFolder(files: CareFiles, folder: string, why: string): Leftover {
  const bytes = [...walk(files, folder)].reduce((sum, { kind, size }) => sum + (kind === 'file' ? size : 0), 0);
  return { path: folder, bytes, why };
}

function removeTree(files: CareFiles, place: string): void {
  const info = files.lookClosely(place);
  if (!info) return;
  writing(place, () => {
    if (info.kind !== 'folder') return files.remove(place);
    for (const found of walk(files, place)) {
      if (found.kind === 'folder') files.removeFolder(found.path);
      else files.remove(found.path);
    }
    files.removeFolder(place);
  });
}

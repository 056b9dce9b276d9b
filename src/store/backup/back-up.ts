import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { createFileExclusively, lookSafely, pack, quietly, readWhole, unpack } from '../../files/index.ts';
import { snapshotUpcasters } from '../../protocol/index.ts';
import type { RootedPlace } from '../place.ts';
import { makeLoopFolder } from '../root.ts';
import { maxSnapshotBytes, parseSnapshot, snapshotPath } from '../snapshot.ts';
import { listBackups, readStored } from '../stored-documents.ts';
import { backupFolder, backupName, backupStamp, parseBackupName } from './names.ts';

/** How backups are made and how many are kept. */
export interface BackupOptions {
  readonly now: Date;
  readonly compress: boolean;
  /** More than these are removed, oldest first; the newest good one always stays. */
  readonly maxBackups: number;
}

/** A new backup, and the old ones that were removed for it. */
export interface BackupMade {
  readonly file: string;
  readonly bytes: number;
  readonly removed: readonly string[];
}

/** Copies `state.json`, if it verifies. Any process may do it: the copy is of one whole state. */
export function backUp(place: RootedPlace, options: BackupOptions): BackupMade {
  const content = verifiedState(place);
  const bytes = options.compress ? pack(content, maxSnapshotBytes) : content;
  const folder = backupFolder(place.folder);
  makeLoopFolder(place, folder);
  for (let number = nextNumber(place, options.now); ; number += 1) {
    const file = path.join(folder, backupName(options.now, number, options.compress));
    if (!createFileExclusively(place.files, file, bytes)) continue;
    return { file, bytes: bytes.byteLength, removed: removeOldBackups(place, options.maxBackups, file) };
  }
}

// After the newest of the same second, in either form: a number that retention freed would make it look older.
function nextNumber(place: RootedPlace, now: Date): number {
  const [newest] = listBackups(place);
  const last = newest === undefined ? undefined : parseBackupName(path.basename(newest));
  return last?.stamp === backupStamp(now) ? last.number + 1 : 1;
}

/** The content of `state.json`, decompressed; throws when there is none or it does not verify. */
export function verifiedState(place: RootedPlace): Buffer {
  const { files, loopId, upcasters = snapshotUpcasters } = place;
  const file = snapshotPath(place.folder);
  if (lookSafely(files, file, 'file') === undefined) throw new LoopError(failures.noStateToBackup(loopId, file));
  const content = readWhole(files, file, { limit: maxSnapshotBytes });
  const found = parseSnapshot(content, { file, loopId, upcasters });
  const plain = found.kind === 'ok' ? unpack(content, maxSnapshotBytes) : undefined;
  if (plain !== undefined) return plain;
  throw new LoopError(failures.backupFailed(file, found.kind === 'damaged' ? found.why : 'it does not exist'));
}

// A clock that was set back makes the new one look old; it is kept anyway.
function removeOldBackups(place: RootedPlace, maxBackups: number, made: string): readonly string[] {
  const backups = [made, ...listBackups(place).filter((file) => file !== made)];
  const excess = backups.slice(Math.max(1, maxBackups));
  if (excess.length === 0) return [];
  const keepers = backups.slice(0, backups.length - excess.length);
  // When none of those that stay can be read, the newest of the others that can stays too.
  const lastGood = keepers.some((file) => isGood(place, file)) ? undefined : excess.find((file) => isGood(place, file));
  const removed = excess.filter((file) => file !== lastGood);
  for (const file of removed.toReversed()) quietly(() => place.files.remove(file));
  return removed;
}

function isGood(place: RootedPlace, file: string): boolean {
  try {
    return readStored(place, file).kind === 'ok';
  } catch {
    return false;
  }
}

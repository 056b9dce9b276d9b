import path from 'node:path';
import { LoopError } from '../base/index.ts';
import { look, lookSafely, reading, readWhole, unpack } from '../files/index.ts';
import { type SnapshotDocument, snapshotUpcasters } from '../protocol/index.ts';
import { backupFolder, compareBackups, parseBackupName } from './backup/names.ts';
import { checkpointFolder, iterationOf } from './checkpoint/names.ts';
import { isTooDeep } from './journal/depth.ts';
import type { Position } from './journal/position.ts';
import type { LoopPlace } from './place.ts';
import type { Problem } from './problem.ts';
import { checkSnapshot, maxSnapshotBytes, parseDocument, type SnapshotReading } from './snapshot.ts';

/** What a state was rebuilt from, and where that is. */
export interface RecoverySource {
  readonly kind: 'snapshot' | 'checkpoint' | 'backup' | 'journal';
  readonly file: string;
}

/** A checkpoint or backup that verifies. */
export interface StoredDocument {
  readonly kind: 'checkpoint' | 'backup';
  readonly file: string;
  readonly document: SnapshotDocument;
  readonly position: Position;
}

/** A checkpoint may contain a snapshot and something around it. */
export const maxStoredBytes = 2 * maxSnapshotBytes;

const firstCheckpoints = 5;
const firstBackups = 10;

/** A loop's checkpoints, newest first. */
export function listCheckpoints(place: LoopPlace): readonly { readonly file: string; readonly iteration: number }[] {
  const folder = checkpointFolder(place.folder);
  return namesIn(place, folder)
    .map((name) => ({ file: path.join(folder, name), iteration: iterationOf(name) ?? -1 }))
    .filter(({ iteration }) => iteration >= 0)
    .sort((a, b) => b.iteration - a.iteration);
}

/** A loop's backups, newest first. */
export function listBackups(place: LoopPlace): readonly string[] {
  const folder = backupFolder(place.folder);
  return namesIn(place, folder)
    .map(parseBackupName)
    .filter((name) => name !== undefined)
    .sort(compareBackups)
    .map(({ name }) => path.join(folder, name));
}

/** Reads a checkpoint or a copy of `state.json`, compressed or not; refuses one that a newer ralphd wrote. */
export function readStored(place: LoopPlace, file: string): SnapshotReading {
  const bytes = readWhole(place.files, file, { limit: maxStoredBytes });
  const plain = unpack(bytes, maxStoredBytes);
  if (!plain) return damaged('it cannot be decompressed within bounds');
  if (isTooDeep(plain)) return damaged('it is nested too deeply');
  const document = parseDocument(plain);
  if (!document) return damaged('it is not JSON');
  const snapshot = 'checkpoint_id' in document ? snapshotIn(document) : document;
  if (!snapshot) return damaged('it contains no snapshot');
  return checkSnapshot(snapshot, { file, loopId: place.loopId, upcasters: place.upcasters ?? snapshotUpcasters });
}

/** The loop's checkpoints and backups, the most recent state first; unusable ones are reported as problems. */
export function* storedDocuments(place: LoopPlace): Generator<StoredDocument | { readonly problem: Problem }> {
  const checkpoints = listCheckpoints(place).map(({ file }) => ({ kind: 'checkpoint', file }) as const);
  const backups = listBackups(place).map((file) => ({ kind: 'backup', file }) as const);
  const newest = [...checkpoints.slice(0, firstCheckpoints), ...backups.slice(0, firstBackups)];
  const read = newest.flatMap((each) => readAs(place, each));
  yield* read.sort((a, b) => seqOf(b) - seqOf(a));
  for (const each of [...checkpoints.slice(firstCheckpoints), ...backups.slice(firstBackups)])
    yield* readAs(place, each);
}

// None for one that an owner removed, as it does with old ones, since it was listed.
function readAs(
  place: LoopPlace,
  { kind, file }: Pick<StoredDocument, 'kind' | 'file'>,
): readonly (StoredDocument | { readonly problem: Problem })[] {
  const found = tryToRead(place, file);
  if (found.kind === 'ok') return [{ kind, file, document: found.document, position: found.position }];
  if (look(place.files, file) === undefined) return [];
  const why = found.kind === 'damaged' ? found.why : 'it does not exist';
  return [{ problem: { kind: 'copy_damaged', file, message: `${file} cannot be trusted (${why}).` } }];
}

function tryToRead(place: LoopPlace, file: string): SnapshotReading {
  try {
    return readStored(place, file);
  } catch (error) {
    if (error instanceof LoopError && error.failure.code === 'STATE_UNREADABLE') return damaged(error.message);
    throw error;
  }
}

function seqOf(each: StoredDocument | { readonly problem: Problem }): number {
  return 'position' in each ? each.position.seq : Number.MAX_SAFE_INTEGER;
}

function snapshotIn({ ralphd }: SnapshotDocument): SnapshotDocument | undefined {
  const snapshot: unknown = typeof ralphd === 'object' && ralphd !== null ? Reflect.get(ralphd, 'snapshot') : undefined;
  return typeof snapshot === 'object' && snapshot !== null ? { ...snapshot } : undefined;
}

function namesIn({ files }: LoopPlace, folder: string): readonly string[] {
  if (lookSafely(files, folder, 'folder') === undefined) return [];
  return reading(folder, () => files.list(folder));
}

function damaged(why: string): SnapshotReading {
  return { kind: 'damaged', why };
}

import { failures, isLoopId, LoopError } from '../base/index.ts';
import type { StagingFolder } from '../files/index.ts';
import type { Keys } from './age.ts';
import { allOf } from './levels.ts';
import {
  backupName,
  isIntact,
  type Manifest,
  maxManifestBytes,
  type ObjectRef,
  parseManifest,
  parseManifestName,
  parsePage,
} from './manifest.ts';
import { unpackParts } from './pack.ts';
import type { BackupTarget } from './target.ts';

/** What is read from a target, and until when. */
export interface Reading {
  readonly target: BackupTarget;
  readonly signal: AbortSignal;
}

/** The loops that have backups in a target; other folders are left alone. */
export async function loopsIn({ target, signal }: Reading): Promise<readonly string[]> {
  return (await target.folders('', signal)).filter(isLoopId);
}

/** The names of the backups of a loop, oldest first. */
export async function backupsOf({ target, signal }: Reading, loopId: string): Promise<readonly string[]> {
  const names = await target.list(`${loopId}/manifests`, undefined, signal);
  return names.filter((name) => parseManifestName(name) !== undefined).map((name) => name.replace(/\.json$/, ''));
}

/** Reads the manifest of a backup. */
export async function readManifest({ target, signal }: Reading, loopId: string, name: string): Promise<Manifest> {
  const bytes = await target.read(`${loopId}/manifests/${name}.json`, maxManifestBytes, signal);
  if (bytes === undefined) throw new LoopError(failures.backupNotFound(target.where, `backup ${name} of ${loopId}`));
  return parseManifest(bytes, { loopId, name });
}

/** The manifest of the newest backup of a loop. */
export async function newestManifest(reading: Reading, loopId: string): Promise<Manifest> {
  const newest = (await backupsOf(reading, loopId)).at(-1);
  if (newest === undefined) throw new LoopError(failures.backupNotFound(reading.target.where, `backup of ${loopId}`));
  return await readManifest(reading, loopId, newest);
}

/** Reads an object and checks that it is what was stored. */
async function readObject({ target, signal }: Reading, loopId: string, ref: ObjectRef): Promise<Uint8Array> {
  const bytes = await target.read(`${loopId}/${ref.name}`, ref.bytes, signal);
  if (bytes === undefined) throw damaged(ref, 'it is missing');
  if (!isIntact(ref, bytes)) throw damaged(ref, 'its content is not what was stored');
  return bytes;
}

/** Every object of a backup, in the order in which it is unpacked. Pages that are known are not read again. */
export async function* objectsOf(
  reading: Reading,
  manifest: Manifest,
  known = new Map<string, readonly ObjectRef[]>(),
): AsyncIterable<{ readonly ref: ObjectRef; readonly isPage: boolean }> {
  const readPage = async (page: ObjectRef) => {
    const refs = known.get(page.name) ?? parsePage(await readObject(reading, manifest.loopId, page));
    if (refs === undefined) throw damaged(page, 'it is no list of objects');
    known.set(page.name, refs);
    return refs;
  };
  yield* allOf(manifest.levels, readPage);
  yield { ref: manifest.current, isPage: false };
}

/** Writes all files of a backup into an empty folder. */
export async function fetchBackup(
  reading: Reading,
  manifest: Manifest,
  { keys, staging }: { readonly keys: Keys; readonly staging: StagingFolder },
): Promise<void> {
  for await (const { ref, isPage } of objectsOf(reading, manifest)) {
    if (isPage) continue;
    const bytes = await readObject(reading, manifest.loopId, ref);
    for (const { path, offset, bytes: content } of await unpackParts(ref, bytes, keys))
      staging.write(path, offset, content);
  }
}

/** What a check of a loop's backups found. */
export interface Verification {
  readonly loopId: string;
  /** The backups that are intact, newest last. */
  readonly intact: readonly string[];
  readonly damaged: readonly { readonly backup: string; readonly why: string }[];
  readonly objects: number;
  readonly bytes: number;
  /** Whether the content of encrypted objects was checked as well. */
  readonly isOpened: boolean;
}

/** Reads every object of every backup of a loop again and checks it. */
export async function verifyBackups(reading: Reading, loopId: string, keys: Keys): Promise<Verification> {
  const checked = new Map<string, Promise<void>>();
  const [intact, broken] = [[] as string[], [] as { backup: string; why: string }[]];
  let [bytes, isOpened] = [0, true];
  const canOpen = keys.identities.length > 0 || keys.passphrase !== undefined;
  const check = async (ref: ObjectRef, isPage: boolean) => {
    const found = await readObject(reading, loopId, ref);
    bytes += found.byteLength;
    if (isPage) return;
    if (ref.name.endsWith('.age') && !canOpen) isOpened = false;
    else await unpackParts(ref, found, keys);
  };
  for (const name of await backupsOf(reading, loopId)) {
    try {
      const manifest = await readManifest(reading, loopId, name);
      for await (const { ref, isPage } of objectsOf(reading, manifest)) {
        const known = checked.get(ref.name) ?? check(ref, isPage);
        checked.set(ref.name, known);
        await known;
      }
      intact.push(backupName(manifest));
    } catch (error) {
      if (!(error instanceof LoopError) || error.failure.code === 'BACKUP_TARGET_FAILED') throw error;
      broken.push({ backup: name, why: error.failure.message });
    }
  }
  return { loopId, intact, damaged: broken, objects: checked.size, bytes, isOpened };
}

function damaged({ name }: ObjectRef, why: string): LoopError {
  return new LoopError(failures.backupDamaged(`The object ${name} of the backup`, why));
}

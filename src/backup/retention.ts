import { LoopError } from '../base/index.ts';
import { backupsOf, objectsOf, type Reading, readManifest } from './fetch.ts';
import { backupOfObject, type Manifest, type ObjectRef } from './manifest.ts';

/** Which backups are kept: the newest ones, and those of the last days. The newest one always is. */
export interface Retention {
  readonly keep: number;
  readonly keepDays: number;
}

/** Removes old backups, each with what only it needs; returns their names. */
export async function removeOldBackups(
  reading: Reading,
  loopId: string,
  { keep, keepDays, nowMs }: Retention & { readonly nowMs: number },
): Promise<readonly string[]> {
  const { target, signal } = reading;
  const names = await backupsOf(reading, loopId);
  const removed: string[] = [];
  for (const name of names.slice(0, -Math.max(1, keep))) {
    const manifest = await readQuietly(reading, loopId, name);
    if (manifest !== undefined && nowMs - Date.parse(manifest.createdAt) < keepDays * 86_400_000) break;
    // The manifest first: a backup without its objects must not be seen as one.
    await target.remove(`${loopId}/manifests/${name}.json`, signal);
    if (manifest !== undefined) await target.remove(`${loopId}/${manifest.current.name}`, signal);
    removed.push(name);
  }
  return removed;
}

async function readQuietly(reading: Reading, loopId: string, name: string): Promise<Manifest | undefined> {
  try {
    return await readManifest(reading, loopId, name);
  } catch (error) {
    if (error instanceof LoopError && error.failure.code !== 'BACKUP_TARGET_FAILED') return undefined;
    throw error;
  }
}

/**
 * Removes objects that no backup needs: of backups that were cut off and never finished, and of removed ones. Returns their names.
 *
 * An object is kept if it belongs to a backup that is not older than the newest one, because somebody may be making that now.
 * Nothing depends on a clock. A machine that meant to use an object that is gone notices and sends it again.
 */
export async function sweepAbandoned(reading: Reading, loopId: string): Promise<readonly string[]> {
  const { target, signal } = reading;
  const names = await backupsOf(reading, loopId);
  const needed = await neededBy(reading, loopId, names);
  const newest = names.at(-1);
  if (needed === undefined || newest === undefined) return [];
  const removed: string[] = [];
  for (const folder of ['packs', 'pages', 'current']) {
    for (const name of await target.list(`${loopId}/${folder}`, undefined, signal)) {
      const object = `${folder}/${name}`;
      const backup = backupOfObject(object);
      if (needed.has(object) || backup === undefined || backup >= newest) continue;
      await target.remove(`${loopId}/${object}`, signal);
      removed.push(object);
    }
  }
  return removed;
}

/** Undefined if a backup cannot be read: what it needs is not known then. */
async function neededBy(
  reading: Reading,
  loopId: string,
  names: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const needed = new Set<string>();
  const pages = new Map<string, readonly ObjectRef[]>();
  try {
    for (const name of names) {
      const manifest = await readManifest(reading, loopId, name);
      for await (const { ref } of objectsOf(reading, manifest, pages)) needed.add(ref.name);
    }
    return needed;
  } catch (error) {
    if (error instanceof LoopError && error.failure.code !== 'BACKUP_TARGET_FAILED') return undefined;
    throw error;
  }
}

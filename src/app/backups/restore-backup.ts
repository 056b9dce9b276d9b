import path from 'node:path';
import {
  backupName,
  fetchBackup,
  type Keys,
  leadsFrom,
  loopsIn,
  type Manifest,
  newestManifest,
  type Reading,
  readArchive,
  readManifest,
} from '../../backup/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { isTerminal, type Loop } from '../../core/index.ts';
import { createStagingFolder, nodeFiles, readChunks, type StagingFolder } from '../../files/index.ts';
import { createRecorder } from '../../runner/index.ts';
import { createFileLoopStore } from '../adapters/file-loop-store.ts';
import { vault } from '../keys.ts';
import { lostLoops } from '../lost-loops.ts';
import { thisMachine } from '../machine.ts';
import { readLoop } from '../read-loops.ts';
import { createRegistry, refreshQuietly } from '../registry.ts';
import { type LoopPlace, openGuardedStore, openStore } from '../stores.ts';

/** A loop that was restored from a backup. */
export interface RestoredReport {
  readonly loopId: string;
  readonly from: string;
  /** The name of the backup, or when the archive was made. */
  readonly backup: string;
  readonly createdAt: string;
  readonly status: string;
  /** How many iterations are finished. */
  readonly iteration: number;
  /** The iteration that was under way; its work is not in the backup. */
  readonly lostIteration?: number;
  /** The number of the newest fact in the backup; later ones are missing. */
  readonly lastFact: number;
  /** Where the loop that was here before is now. */
  readonly setAside: readonly string[];
}

/** What to restore, and over what. */
export interface RestoreBackupOptions {
  readonly keys: Keys;
  readonly env: NodeJS.ProcessEnv;
  /** Set a loop of the same name aside. */
  readonly force: boolean;
}

/** The most bytes that an archive may contain. */
const maxArchiveBytes = 64 * 1024 ** 3;

/** Restores the loop in an archive. */
export async function restoreArchive(
  place: LoopPlace,
  file: string,
  options: RestoreBackupOptions,
): Promise<RestoredReport> {
  using staging = stagingIn(place);
  const { keys } = options;
  const note = await readArchive(readChunks(file), { keys, staging, maxBytes: maxArchiveBytes });
  return await putInPlace(place, staging, {
    ...options,
    loopId: note.loopId,
    from: file,
    backup: note.createdAt,
    createdAt: note.createdAt,
  });
}

/** Which backup to restore. */
export interface WantedBackup {
  /** The only loop there, if it is left out. */
  readonly loopId?: string | undefined;
  /** The newest one, if it is left out. */
  readonly backup?: string | undefined;
}

/** Restores a loop from a place with backups. */
export async function restoreBackup(
  place: LoopPlace,
  reading: Reading,
  { loopId, backup, ...options }: RestoreBackupOptions & WantedBackup,
): Promise<RestoredReport> {
  const id = await chosenLoop(reading, loopId);
  const manifest = backup === undefined ? await newestManifest(reading, id) : await readManifest(reading, id, backup);
  assertFree(place, id, { manifest, ...options });
  using staging = stagingIn(place);
  await fetchBackup(reading, manifest, { keys: options.keys, staging });
  const { createdAt } = manifest;
  const source = { loopId: id, from: reading.target.where, backup: backupName(manifest), createdAt, manifest };
  return await putInPlace(place, staging, { ...options, ...source });
}

/** The id of the loop that a user means, among those that have backups. */
export async function chosenLoop(reading: Reading, query: string | undefined): Promise<string> {
  const all = await loopsIn(reading);
  const matching =
    query === undefined
      ? all
      : all.filter((id) => id === query || id.startsWith(query) || id.startsWith(`ralph-${query}`));
  const [only, ...others] = matching.includes(query ?? '') ? [query ?? ''] : matching;
  const what = query === undefined ? 'backups of loops' : `backups of a loop "${query}"`;
  if (only === undefined) throw new LoopError(failures.backupNotFound(reading.target.where, what));
  if (others.length > 0 && query === undefined) throw new LoopError(failures.loopNotGiven(matching.join(', ')));
  if (others.length > 0) throw new LoopError(failures.loopAmbiguous(query ?? '', matching.join(', ')));
  return only;
}

function stagingIn(place: LoopPlace): StagingFolder {
  openStore(place).prepare();
  return createStagingFolder(path.join(place.root, 'loops'));
}

interface Placing extends RestoreBackupOptions {
  readonly loopId: string;
  readonly from: string;
  readonly backup: string;
  readonly createdAt: string;
  readonly manifest?: Manifest;
}

async function putInPlace(place: LoopPlace, staging: StagingFolder, placing: Placing): Promise<RestoredReport> {
  const { loopId, from, backup, createdAt, env, force, manifest } = placing;
  assertFree(place, loopId, { manifest, force, env });
  // Before anything changes here: without its key, nobody could use the loop.
  vault.loopAt({ files: nodeFiles, loopId, folder: staging.root })?.unlock();
  const folders = openGuardedStore(place, env);
  const folder = path.join(place.root, 'loops', loopId);
  // A copy of its journal that is left here belongs to another life of the loop.
  const setAside = folders.putAside(loopId);
  staging.moveTo(folder);
  const store = createFileLoopStore(folders, { registry: createRegistry(place), machine: thisMachine });
  await using owned = await store.open(loopId);
  const recorder = createRecorder({ loop: owned, observe: owned.observe });
  const before = recorder.loop;
  const { workingDirectory } = place;
  if (!isTerminal(before.status)) {
    await recorder.write([{ type: 'loop.restored', data: { from, backup, workingDirectory } }]);
  }
  await owned.close();
  refreshQuietly(place);
  return { loopId, from, backup, createdAt, setAside, ...describe(before) };
}

function describe({
  status,
  position,
  journal,
}: Loop): Pick<RestoredReport, 'status' | 'iteration' | 'lastFact' | 'lostIteration'> {
  const { finished, current } = position;
  const lost = isTerminal(status) || current === undefined ? {} : { lostIteration: finished + 1 };
  return { status, iteration: finished, lastFact: journal.seq, ...lost };
}

/** Refuses to put a backup over a loop that is here, unless the user wants to; one that a process runs is always refused. */
function assertFree(
  place: LoopPlace,
  loopId: string,
  { manifest, force, env }: Pick<RestoreBackupOptions, 'force' | 'env'> & { readonly manifest: Manifest | undefined },
): void {
  const store = openStore(place);
  if (!store.has(loopId)) {
    // What the copy outside the work tree has may be newer than any backup.
    if (force || !lostLoops(place, env).includes(loopId)) return;
    throw new LoopError(
      failures.restoreOverLoop(loopId, place.root, 'its folder is gone but a copy of its journal is left'),
    );
  }
  const { folder } = store.place(loopId);
  const owner = store.owner(loopId);
  if (owner?.liveness === 'alive') throw new LoopError(failures.loopLocked(loopId, owner));
  if (force) return;
  throw new LoopError(failures.restoreOverLoop(loopId, folder, comparison(place, loopId, manifest)));
}

function comparison(place: LoopPlace, loopId: string, manifest: Manifest | undefined): string {
  if (manifest === undefined) return 'the backup would replace it';
  const store = openStore(place);
  const { folder } = store.place(loopId);
  if (leadsFrom(nodeFiles, folder, manifest.journal)) return 'it contains everything that the backup contains';
  const facts = factsOf(place, loopId);
  if (facts !== undefined && facts > manifest.seq)
    return `it has ${facts} facts, more than the backup with ${manifest.seq}`;
  return 'it differs from the backup';
}

function factsOf(place: LoopPlace, loopId: string): number | undefined {
  try {
    return readLoop(openStore(place), loopId).loop.journal.seq;
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}

import path from 'node:path';
import {
  backupName,
  fetchBackup,
  type Keys,
  leadsFrom,
  loopsIn,
  newestManifest,
  type Reading,
  type Verification,
  verifyBackups,
} from '../../backup/index.ts';
import {
  createStagingFolder,
  createTemporaryFolder,
  kindAt,
  listNames,
  nodeFiles,
  readWholeFile,
} from '../../files/index.ts';
import { readLoop } from '../read-loops.ts';
import { type LoopPlace, openStore } from '../stores.ts';
import { chosenLoop } from './restore-backup.ts';

/** Reads every object of every backup again and checks it: those of one loop, or of all of them. */
export async function verifyPlace(
  reading: Reading,
  query: string | undefined,
  keys: Keys,
): Promise<readonly Verification[]> {
  const loops = query === undefined ? await loopsIn(reading) : [await chosenLoop(reading, query)];
  const found: Verification[] = [];
  for (const loopId of loops) found.push(await verifyBackups(reading, loopId, keys));
  return found;
}

/** What a drill showed. */
export interface Drill {
  readonly loopId: string;
  readonly backup: string;
  /** The state of the restored loop. */
  readonly status: string;
  readonly iteration: number;
  readonly facts: number;
  readonly files: number;
  /** Files of the restored loop that the loop here does not have, or has with another content. */
  readonly differing: readonly string[];
  /** Whether there is a loop here to compare with. */
  readonly isCompared: boolean;
}

/** Restores the newest backup of a loop into a temporary folder, reads the loop there, and compares it with the one here. */
export async function drillBackup(
  place: LoopPlace,
  reading: Reading,
  { query, keys }: { readonly query: string | undefined; readonly keys: Keys },
): Promise<Drill> {
  const loopId = await chosenLoop(reading, query);
  const manifest = await newestManifest(reading, loopId);
  using scratch = createTemporaryFolder('drill');
  const loops = path.join(scratch.root, 'loops');
  using staging = createStagingFolder(loops);
  await fetchBackup(reading, manifest, { keys, staging });
  const restored = path.join(loops, loopId);
  staging.moveTo(restored);
  const { loop } = readLoop(openStore({ root: scratch.root }), loopId);
  const files = await namesBelow(restored);
  const here = path.join(place.root, 'loops', loopId);
  const isCompared = openStore(place).has(loopId);
  const isSame = isCompared && leadsFrom(nodeFiles, here, manifest.journal);
  const differing = isCompared ? await differences({ restored, here, isSame }, files) : [];
  const { status, position, journal } = loop;
  const facts = journal.seq;
  return {
    loopId,
    backup: backupName(manifest),
    status,
    iteration: position.finished,
    facts,
    files: files.length,
    differing,
    isCompared,
  };
}

interface Compared {
  readonly restored: string;
  readonly here: string;
  /** Whether the journal here leads from that of the backup. */
  readonly isSame: boolean;
}

/** Files of iterations never change; the journal only grows. What changes all the time is not compared. */
async function differences({ restored, here, isSame }: Compared, files: readonly string[]): Promise<readonly string[]> {
  const differing = isSame ? [] : ['journal'];
  for (const name of files.filter((each) => each.startsWith('iterations/'))) {
    const [one, other] = [await contentOf(path.join(restored, name)), await contentOf(path.join(here, name))];
    if (one === undefined || other === undefined || !one.equals(other)) differing.push(name);
  }
  return differing;
}

async function contentOf(file: string): Promise<Buffer | undefined> {
  return await readWholeFile(file, Number.MAX_SAFE_INTEGER);
}

async function namesBelow(folder: string, below = ''): Promise<readonly string[]> {
  const names = await listNames(path.join(folder, below));
  const inner = names.map(async (name) => {
    const place = path.posix.join(below, name);
    return (await kindAt(path.join(folder, place))) === 'folder' ? await namesBelow(folder, place) : [place];
  });
  return (await Promise.all(inner)).flat();
}

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createStagingFolder } from '../../files/index.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { noKeys, type Sealing } from '../age.ts';
import { fetchBackup, newestManifest } from '../fetch.ts';
import type { Progress } from '../progress.ts';
import { type LoopSource, pushBackup } from '../push.ts';
import type { BackupTarget } from '../target.ts';
import { loopId } from './loop-folder.ts';

/** Never aborted. */
export const { signal } = new AbortController();

/** Where to, and from where on. */
export interface Pushing {
  readonly target: BackupTarget;
  readonly before?: Progress | undefined;
  readonly sealing?: Sealing;
  readonly maxPartBytes?: number;
  readonly save?: (progress: Progress) => void;
}

/** Makes one backup. */
export async function push(
  source: LoopSource,
  { target, before, save = () => {}, ...more }: Pushing,
): Promise<Progress> {
  return await pushBackup(source, before, { target, place: 'here', nowMs: () => 1_000, signal, save, ...more });
}

/** Restores the newest backup into a new folder. */
export async function restore(target: BackupTarget, keys = noKeys): Promise<string> {
  const folder = temporaryFolder();
  using staging = createStagingFolder(folder);
  const reading = { target, signal };
  await fetchBackup(reading, await newestManifest(reading, loopId), { keys, staging });
  staging.moveTo(path.join(folder, loopId));
  return path.join(folder, loopId);
}

const left = new Set(['lock', 'owner.json']);

/** The files of a loop that belong in a backup, by their names. */
export function contentOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = entries.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  return Object.fromEntries(
    names
      .filter((name) => !left.has(name))
      .toSorted()
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
}

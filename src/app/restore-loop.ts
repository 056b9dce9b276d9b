import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { isTerminal, type Loop } from '../core/index.ts';
import { nodeFiles } from '../files/index.ts';
import { fromStateDocument } from '../formats/index.ts';
import { readFact } from '../protocol/index.ts';
import { createRecorder } from '../runner/index.ts';
import { type LoopFolders, planRestore, type RestorePlan, type RootedPlace, storedDocuments } from '../store/index.ts';
import { own } from './adapters/file-loop-store.ts';
import { foldState } from './adapters/fold-state.ts';
import { thisMachine } from './machine.ts';
import { findLoopId } from './read-loops.ts';
import { createRegistry, refreshQuietly } from './registry.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** The result of a restore, or what it would be. */
export interface RestoreReport {
  readonly loopId: string;
  readonly dryRun: boolean;
  readonly from: string;
  readonly status: string;
  readonly iteration: number;
  /** How many facts are superseded. */
  readonly supersededFacts: number;
  /** The files that keep them, below the loop's folder. */
  readonly superseded: readonly string[];
}

/** Where to restore from. */
export interface RestoreOptions {
  /** A file, the name of one of the loop's checkpoints or backups, or `latest`. */
  readonly from: string;
  readonly cwd: string;
  readonly dryRun: boolean;
}

/** Restores a loop that no process runs from a checkpoint or backup. Later facts are kept but no longer count. */
export async function restoreLoop(place: LoopPlace, query: string, options: RestoreOptions): Promise<RestoreReport> {
  const store = openStore(place);
  const loopId = findLoopId(place, query);
  const file = sourceOf(store.place(loopId), options);
  const { dryRun } = options;
  if (dryRun) {
    const { owner } = readQuietly(store, loopId) ?? {};
    if (owner?.liveness === 'alive') throw new LoopError(failures.loopLocked(loopId, owner));
    const plan = planRestore(store.place(loopId), file);
    const {
      status,
      position: { iteration },
    } = checkedLoop(store, loopId, plan);
    return { loopId, dryRun, from: file, status, iteration, supersededFacts: plan.superseded.length, superseded: [] };
  }
  let restored: Loop | undefined;
  const { open, plan, superseded } = store.restore(loopId, file, (found) => {
    restored = checkedLoop(store, loopId, found);
    return attemptFolders(found);
  });
  await using owned = own(open, { registry: createRegistry(place), machine: thisMachine, loop: restored });
  const count = plan.superseded.length;
  const message = `restored from ${file}; ${count} later ${count === 1 ? 'fact' : 'facts'} no longer count`;
  const recorder = createRecorder({ loop: owned, observe: owned.observe });
  await recorder.write([{ type: 'loop.recovered', data: { problems: [message] } }]);
  await owned.close();
  refreshQuietly(place);
  const {
    status,
    position: { iteration },
  } = recorder.loop;
  return { loopId, dryRun, from: file, status, iteration, supersededFacts: count, superseded };
}

/** The loop in a document, unless it must not be restored: an ended loop stays ended. */
function checkedLoop(store: LoopFolders, loopId: string, { document, file }: RestorePlan): Loop {
  const loop = fromStateDocument(document);
  if (loop === undefined) throw refused(loopId, file, 'it contains no loop that this version can read');
  const now = readQuietly(store, loopId)?.status;
  if (now !== undefined && isTerminal(now)) throw new LoopError(failures.restoreOfEnded(loopId, now));
  return loop;
}

function readQuietly(store: LoopFolders, loopId: string) {
  try {
    const found = store.read(loopId);
    return { owner: found.owner, status: foldState(found).status };
  } catch (error) {
    if (error instanceof LoopError) return undefined; // a loop that cannot be read is the reason to restore it
    throw error;
  }
}

function sourceOf(place: RootedPlace, { from, cwd }: RestoreOptions): string {
  if (from === 'latest') return latest(place);
  const known = ['backups', 'checkpoints'].map((folder) => path.join(place.folder, folder, path.basename(from)));
  const candidates = from.includes(path.sep) ? [path.resolve(cwd, from)] : [...known, path.resolve(cwd, from)];
  const found = candidates.find((file) => nodeFiles.look(file) !== undefined);
  if (found === undefined) throw refused(place.loopId, from, 'there is no such file');
  return found;
}

function latest(place: RootedPlace): string {
  for (const stored of storedDocuments(place)) {
    if ('problem' in stored) continue;
    try {
      return planRestore(place, stored.file).file;
    } catch (error) {
      if (!(error instanceof LoopError) || error.failure.code !== 'RESTORE_REFUSED') throw error;
    }
  }
  throw new LoopError(failures.noBackup(place.loopId, place.folder));
}

/** The folders of superseded attempts. */
function attemptFolders({ superseded }: RestorePlan): readonly string[] {
  const folders = superseded.flatMap((entry) => {
    const reading = readFact(entry);
    if (!reading.ok || reading.fact.type !== 'iteration.started') return [];
    const { iteration, attempt } = reading.fact.data;
    return [path.join('iterations', String(iteration).padStart(3, '0'), `attempt-${attempt}`)];
  });
  return [...new Set(folders)];
}

function refused(loopId: string, file: string, why: string): LoopError {
  return new LoopError(failures.restoreRefused(loopId, file, why));
}

import path from 'node:path';
import { isLoopId, sha256 } from '../../base/index.ts';
import { makePrivateFolder, putUserFile, readUserFile } from '../../files/index.ts';
import { type Fleet, type FleetLoop, openFleet, parseFleetAddress } from '../../fleet/index.ts';
import {
  clearReplica,
  completeReplica,
  extendReplica,
  isReplicaAt,
  type LoopFolders,
  type ReplicaEnd,
  type ReplicaLine,
  sqliteLock,
} from '../../store/index.ts';
import type { AppContext } from '../agent-programs.ts';
import { thisMachine } from '../machine.ts';
import { rememberRemote } from '../remote-loops.ts';
import { type LoopPlace, openStore, ownState } from '../stores.ts';
import { askFleet } from './ask-fleet.ts';
import { linesAfter, readerPatienceMs } from './fleet-state.ts';

/** The loops of a fleet as this user has them at hand: the same bytes as in the database, read like any other loops. */
export interface FleetCopy extends AsyncDisposable {
  readonly place: LoopPlace;
  readonly fleet: Fleet;
  /** Fetches what changed. */
  refresh(): Promise<void>;
  /** Fetches what changes, as it changes, until it is closed. */
  keepFresh(): void;
}

/** What the copy of a loop contains. */
interface Known {
  readonly version: number;
  readonly end: ReplicaEnd;
}

const refreshEveryMs = 500;
const lockPollMs = 20;

/** Opens the copy of a fleet, and brings it up to date. */
export async function openFleetCopy(
  address: string,
  { cwd, env }: Pick<AppContext, 'cwd' | 'env'>,
): Promise<FleetCopy> {
  const to = parseFleetAddress(address);
  const fleet = openFleet(to, { connections: 2 });
  try {
    await fleet.assertReady({ patienceMs: readerPatienceMs });
    const base = ownState(env) ?? path.join(cwd, '.ralph');
    const root = path.join(base, 'fleets', sha256(to.place).slice(0, 16));
    makePrivateFolder(root);
    const place = { root, workingDirectory: cwd };
    const refresh = async () => await whileLocked(root, async () => await update(fleet, openStore(place), root));
    await refresh();
    const over = new AbortController();
    const forget = rememberRemote(root, { ask: async (...asked) => await askFleet({ fleet, refresh }, ...asked) });
    return {
      place,
      fleet,
      refresh,
      keepFresh: () => void follow(refresh, over.signal),
      async [Symbol.asyncDispose]() {
        over.abort();
        forget[Symbol.dispose]();
        await fleet[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await fleet[Symbol.asyncDispose]();
    throw error;
  }
}

/** A database that does not answer now may answer later: what is shown stays as it is. */
async function follow(refresh: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await thisMachine.clock.waitUntil(thisMachine.clock.nowMs() + refreshEveryMs, signal);
    if (!signal.aborted) await refresh().catch(() => {});
  }
}

/** Commands of one user share the copy. */
async function whileLocked(root: string, step: () => Promise<void>): Promise<void> {
  const file = path.join(root, 'copy.lock');
  if (readUserFile(file) === undefined) putUserFile(file, '');
  const never = new AbortController().signal;
  for (;;) {
    const held = sqliteLock.tryHold(file);
    if (held === undefined) {
      await thisMachine.clock.waitUntil(thisMachine.clock.nowMs() + lockPollMs, never);
      continue;
    }
    try {
      return await step();
    } finally {
      held.release();
    }
  }
}

async function update(fleet: Fleet, folders: LoopFolders, root: string): Promise<void> {
  const before = readKnown(root);
  const versions = await fleet.versions({ patienceMs: readerPatienceMs });
  const now = new Map<string, Known>();
  for (const { id, version } of versions) {
    if (!isLoopId(id)) continue;
    const known = before.get(id);
    const isThere = known !== undefined && isReplicaAt(folders.locate(id), known.end);
    const fetched =
      isThere && known.version === version
        ? known
        : await fetchLoop(fleet, folders, { id, version, known: isThere ? known : undefined });
    if (fetched !== undefined) now.set(id, fetched);
  }
  const here = new Set(versions.map(({ id }) => id));
  for (const loopId of folders.list()) if (!here.has(loopId)) clearReplica(folders.locate(loopId));
  putUserFile(path.join(root, 'copy.json'), `${JSON.stringify([...now])}\n`);
}

async function fetchLoop(
  fleet: Fleet,
  folders: LoopFolders,
  { id, version, known }: { readonly id: string; readonly version: number; readonly known: Known | undefined },
): Promise<Known | undefined> {
  const found = await fleet.lookAt(id, { patienceMs: readerPatienceMs });
  if (found === undefined) return undefined;
  const place = folders.locate(id);
  // A database that was restored to an earlier state has fewer facts than the copy.
  const from = known !== undefined && known.end.seq <= found.seq ? known.end : undefined;
  const lines: ReplicaLine[] = [];
  for await (const line of linesAfter(fleet, id, from?.seq ?? 0)) lines.push(line);
  if (from === undefined) clearReplica(place);
  const end = extendReplica(place, lines, from);
  completeReplica(place, { snapshot: found.snapshot ?? undefined, owner: ownerOf(found) });
  return end && { version, end };
}

/** A loop that waits for a worker is driven by nobody, and has not crashed either: it is in the hands of the fleet. */
function ownerOf({ owner, status, epoch }: FleetLoop) {
  if (owner?.liveness === 'alive') return owner;
  if (status !== 'queued' || owner === null) return undefined;
  return { host: 'the fleet', bootId: '', pid: 0, startTime: '', epoch, since: owner.since };
}

function readKnown(root: string): ReadonlyMap<string, Known> {
  try {
    return new Map(JSON.parse(readUserFile(path.join(root, 'copy.json')) ?? '[]') as [string, Known][]);
  } catch {
    return new Map();
  }
}

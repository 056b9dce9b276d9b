import path from 'node:path';
import { isLoopId, sha256 } from '../../base/index.ts';
import { makePrivateFolder, putUserFile, readUserFile } from '../../files/index.ts';
import { type Fleet, type FleetLoop, openFleet, parseFleetAddress } from '../../fleet/index.ts';
import type { AttemptKey } from '../../runner/index.ts';
import {
  clearReplica,
  completeReplica,
  extendReplica,
  isReplicaAt,
  type LoopFolders,
  type ReplicaEnd,
  type ReplicaLine,
  type RootedPlace,
  sqliteLock,
} from '../../store/index.ts';
import type { AppContext } from '../agent-programs.ts';
import { thisMachine } from '../machine.ts';
import { type AskRemote, type RemoteLoops, rememberRemote, type UndrivenLoop } from '../remote-loops.ts';
import { type LoopPlace, openStore, ownState } from '../stores.ts';
import { askFleet } from './ask-fleet.ts';
import { copyOutputs, prepareOutput } from './copied-outputs.ts';
import { factOf, isHead, linesAfter, readerPatienceMs } from './fleet-state.ts';
import { createFleetWork } from './fleet-work.ts';

/** The loops of a fleet as this user has them at hand: the same bytes as in the database, read like any other loops. */
export interface FleetCopy extends AsyncDisposable {
  readonly place: LoopPlace;
  readonly fleet: Fleet;
  /** Fetches what changed. */
  refresh(): Promise<void>;
  /** The same, and which loops no worker has started yet. */
  lookAround(): Promise<void>;
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
/** A journal that has only this line, the head of its first segment, tells nothing yet. */
const headSeq = 1;
/** How long to wait for what an agent printed last; its worker sends it when the agent has finished. */
const lastOutputMs = 2_000;
const outputPollMs = 50;

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
    const folders = openStore(place);
    /** Loops whose output is followed. */
    const followed = new Set<string>();
    let undriven: readonly UndrivenLoop[] = [];
    const refresh = async () => {
      await whileLocked(root, async () => await update({ fleet, folders, root, followed }));
    };
    const lookAround = async () => {
      const found = await fleet.undriven({ patienceMs: readerPatienceMs });
      undriven = found.map(({ status, why, started, ...rest }) => {
        return { ...rest, isSetAside: status === 'held', why: why ?? undefined, isStarted: started };
      });
      await refresh();
    };
    await lookAround();
    const over = new AbortController();
    const fetchOutput: RemoteLoops['fetchOutput'] = async (loopId, { follow }) => {
      if (follow) followed.add(loopId);
      return await whileLocked(root, async () => await copyOutputs(fleet, folders.place(loopId)));
    };
    const ask: AskRemote = async (...asked) => await askFleet({ fleet, refresh }, ...asked);
    const forget = rememberRemote(root, {
      ask,
      fetchOutput,
      undriven: () => undriven,
      ...createFleetWork({ fleet, folders, root, env }),
    });
    return {
      place,
      fleet,
      refresh,
      lookAround,
      keepFresh: () => void keepFresh(refresh, over.signal),
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
async function keepFresh(refresh: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await thisMachine.clock.waitUntil(thisMachine.clock.nowMs() + refreshEveryMs, signal);
    if (!signal.aborted) await refresh().catch(() => {});
  }
}

/** Commands of one user share the copy. */
async function whileLocked<Result>(root: string, step: () => Promise<Result>): Promise<Result> {
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

interface Updated {
  readonly fleet: Fleet;
  readonly folders: LoopFolders;
  readonly root: string;
  readonly followed: ReadonlySet<string>;
}

async function update({ fleet, folders, root, followed }: Updated): Promise<void> {
  const before = readKnown(root);
  const versions = await fleet.versions({ patienceMs: readerPatienceMs });
  const now = new Map<string, Known>();
  for (const { id, version, seq } of versions) {
    if (!isLoopId(id) || seq <= headSeq) continue;
    const known = before.get(id);
    const isThere = known !== undefined && isReplicaAt(folders.locate(id), known.end);
    const fetched =
      isThere && known.version === version
        ? known
        : await fetchLoop(fleet, folders, {
            id,
            version,
            known: isThere ? known : undefined,
            isFollowed: followed.has(id),
          });
    if (fetched !== undefined) now.set(id, fetched);
    if (followed.has(id)) await copyOutputs(fleet, folders.place(id));
  }
  const here = new Set(versions.map(({ id }) => id));
  for (const loopId of folders.list()) if (!here.has(loopId)) clearReplica(folders.locate(loopId));
  putUserFile(path.join(root, 'copy.json'), `${JSON.stringify([...now])}\n`);
}

interface FetchedLoop {
  readonly id: string;
  readonly version: number;
  readonly known: Known | undefined;
  readonly isFollowed: boolean;
}

async function fetchLoop(
  fleet: Fleet,
  folders: LoopFolders,
  { id, version, known, isFollowed }: FetchedLoop,
): Promise<Known | undefined> {
  const found = await fleet.lookAt(id, { patienceMs: readerPatienceMs });
  if (found === undefined) return undefined;
  const place = folders.locate(id);
  // A database that was restored to an earlier state has fewer facts than the copy.
  const from = known !== undefined && known.end.seq <= found.seq ? known.end : undefined;
  const lines: ReplicaLine[] = [];
  for await (const line of linesAfter(fleet, id, from?.seq ?? 0)) lines.push(line);
  if (from === undefined && lines.every(({ line }) => isHead(line))) return undefined;
  if (isFollowed) await outputFirst(fleet, folders.place(id), lines);
  if (from === undefined) clearReplica(place);
  const end = extendReplica(place, lines, from);
  completeReplica(place, { snapshot: found.snapshot ?? undefined, owner: ownerOf(found) });
  return end && { version, end };
}

/** Whoever follows an agent reads its output until the fact that it has finished: what it printed last comes before that. */
async function outputFirst(fleet: Fleet, place: RootedPlace, lines: readonly ReplicaLine[]): Promise<void> {
  const finished: AttemptKey[] = [];
  for (const { line } of lines) {
    if (!/"type":"agent\.(started|finished)"/.test(line)) continue;
    const fact = factOf(place.loopId, line);
    if (fact.type === 'agent.started') prepareOutput(place, fact.data);
    if (fact.type === 'agent.finished') finished.push(fact.data);
  }
  const key = finished.at(-1);
  if (key === undefined) return;
  const { clock } = thisMachine;
  const deadlineMs = clock.monotonicMs() + lastOutputMs;
  while (!(await copyOutputs(fleet, place)).isComplete(key) && clock.monotonicMs() < deadlineMs) {
    await clock.waitUntil(clock.nowMs() + outputPollMs, new AbortController().signal);
  }
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

import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { isTerminal } from '../core/index.ts';
import { nodeFiles } from '../files/index.ts';
import {
  type EndedLoop,
  isOwnRegistry,
  maxConcurrentLoops,
  type RegistryRow,
  toRegistryDocument,
} from '../formats/index.ts';
import {
  foreignLoops,
  type LockedRegistry,
  type LoopCandidate,
  type LoopFolders,
  readRegistry,
  registryPath,
  sqliteLock,
  withRegistry,
  withRegistryHeld,
  writeRegistry,
} from '../store/index.ts';
import type { Registry } from './adapters/registry-port.ts';
import type { LoopView } from './loop-view.ts';
import { thisMachine, timestamp } from './machine.ts';
import { readLoop } from './read-loops.ts';
import { listStatuses, statusFromView } from './read-status.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** Many loops may start at the same moment, one after the other; only a frozen process holds the lock for long. */
const patienceMs = 30_000;
/** A running loop should not wait long for the registry. */
const refreshPatienceMs = 1_000;

/** The registry of a place. */
export function createRegistry(place: LoopPlace): Registry {
  const locked = lockedRegistry(place);
  const ended = new Map<string, EndedLoop>();
  return {
    whileLocked: async (action) =>
      await withRegistryHeld(locked, patienceMs, async () => {
        heldRegistries.add(place.root);
        try {
          return await action();
        } finally {
          heldRegistries.delete(place.root);
        }
      }),
    refresh() {
      const step = () => rewrite(place, locked, ended);
      // This process may refresh the registry while it holds the lock to create a loop.
      if (heldRegistries.has(place.root)) step();
      else withRegistry(locked, refreshPatienceMs, step);
    },
  };
}

/** The state folders whose registry this process has locked to create a loop. */
const heldRegistries = new Set<string>();

/** Updates the registry if it is free; otherwise the next start does it. */
export function refreshQuietly(place: LoopPlace): void {
  try {
    createRegistry(place).refresh();
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
  }
}

/** Refuses a state folder whose registry or loops belong to another program. */
export function assertNotForeign({ root }: LoopPlace): void {
  const place = { files: nodeFiles, root };
  const registry = readRegistry(place);
  if (registry.kind === 'document' && !isOwnRegistry(registry.document)) {
    throw new LoopError(failures.foreignState(registryPath(root), 'another program wrote this registry'));
  }
  const { foreign, ours } = foreignLoops(place);
  if (foreign.length === 0 || ours > 0) return;
  const names = foreign.slice(0, 3).join(', ');
  throw new LoopError(
    failures.foreignState(path.join(root, 'loops'), `another program created its contents (${names})`),
  );
}

/** How a new loop relates to others. */
export interface Admission {
  readonly force: boolean;
  /** Refuse to share the working directory. */
  readonly exclusive: boolean;
}

/** Refuses a loop beyond the maximum, or warns if it is forced. Paused loops do not count. */
export async function admitLoop(place: LoopPlace, admission: Admission): Promise<readonly string[]> {
  const live = await liveLoops(place);
  return [...checkSharing(place, live, admission), ...checkLimit(live, admission)];
}

/** The same for a paused loop that is about to run again. */
export async function readmitLoop(
  place: LoopPlace,
  loopId: string,
  admission: Pick<Admission, 'force'>,
): Promise<readonly string[]> {
  const others = (await liveLoops(place)).filter(({ loop }) => loop.id !== loopId);
  return checkLimit(others, admission);
}

/** The loops that have not ended, read completely; of the others only the view is read. */
async function liveLoops(place: LoopPlace): Promise<readonly LoopView[]> {
  const store = openStore(place);
  const { loops } = await listStatuses(place);
  const live = loops.filter(({ view }) => !isTerminal(view.status));
  return live.flatMap(({ view }) => readSafely(store, view.id)).filter(({ loop }) => !isTerminal(loop.status));
}

/** Two loops in one folder count each other's changes as their own: warns, or refuses if the folder is exclusive. */
function checkSharing(
  { workingDirectory }: LoopPlace,
  live: readonly LoopView[],
  { force, exclusive }: Admission,
): readonly string[] {
  const sharing = live.filter(({ loop }) => loop.origin.workingDirectory === workingDirectory);
  if (sharing.length === 0) return [];
  const names = sharing.map(({ loop, shownStatus }) => `${loop.id} (${shownStatus})`);
  if (!force && (exclusive || sharing.some(({ loop }) => loop.config.exclusive))) {
    throw new LoopError(failures.folderTaken(workingDirectory, names));
  }
  return [
    `Another loop works in this folder too: ${names.join(', ')}. Each will count the other's changes as its own.`,
  ];
}

function checkLimit(live: readonly LoopView[], { force }: Pick<Admission, 'force'>): readonly string[] {
  const running = live.filter(({ loop }) => loop.status !== 'paused');
  if (running.length < maxConcurrentLoops) return [];
  if (!force) {
    const names = running.map(({ loop, shownStatus }) => `${loop.id} (${shownStatus})`);
    throw new LoopError(failures.tooManyLoops(maxConcurrentLoops, names));
  }
  const count = `${running.length + 1} loops run here, more than the limit of ${maxConcurrentLoops}`;
  return [`${count}; tools that enforce that limit on registry.json will reject it.`];
}

function rewrite(place: LoopPlace, locked: LockedRegistry, known: Map<string, EndedLoop>): void {
  assertNotForeign(place);
  const store = openStore(place);
  const live: RegistryRow[] = [];
  const ended: EndedLoop[] = [];
  for (const candidate of store.candidates()) {
    const { loopId } = candidate;
    const over = known.get(loopId) ?? glanceAtEnd(candidate);
    if (over !== undefined) {
      known.set(loopId, over);
      ended.push(over);
      continue;
    }
    for (const view of candidate.isLoop() ? readSafely(store, loopId) : []) {
      if (isTerminal(view.loop.status))
        ended.push({ id: loopId, status: view.loop.status, resumedFrom: view.loop.origin.resumedFrom });
      else live.push(rowOf(view, place));
    }
  }
  const file = path.relative(place.workingDirectory, registryPath(place.root));
  writeRegistry(locked, toRegistryDocument({ live, ended }, { now: timestamp(), registryPath: file }));
}

/** A loop that has ended, if a glance is enough to know that. */
function glanceAtEnd(candidate: LoopCandidate): EndedLoop | undefined {
  try {
    const view = statusFromView(candidate)?.view;
    return view && isTerminal(view.status)
      ? { id: view.id, status: view.status, resumedFrom: view.resumedFrom }
      : undefined;
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}

/** An unreadable loop does not keep the others off the list. */
function readSafely(store: LoopFolders, loopId: string): readonly LoopView[] {
  try {
    return [readLoop(store, loopId)];
  } catch (error) {
    if (error instanceof LoopError) return [];
    throw error;
  }
}

function rowOf({ loop, shownStatus, owner, folder }: LoopView, { workingDirectory }: LoopPlace): RegistryRow {
  const isDriven = owner?.liveness === 'alive' && (loop.status === 'running' || loop.status === 'completing');
  return {
    loop,
    shownStatus,
    ...(isDriven ? { pid: owner.pid } : {}),
    stateFile: path.relative(workingDirectory, path.join(folder, 'state.json')),
  };
}

function lockedRegistry({ root }: LoopPlace): LockedRegistry {
  return {
    files: nodeFiles,
    root,
    lock: sqliteLock,
    now: () => new Date(thisMachine.clock.nowMs()),
    pid: thisMachine.self().pid,
    isRunning: thisMachine.isRunning,
  };
}

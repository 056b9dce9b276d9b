import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { isTerminal } from '../core/index.ts';
import { look, nodeFiles } from '../files/index.ts';
import { aiwgKindOf, type EndedLoop, isOwnRegistry, type RegistryRow, toRegistryDocument } from '../formats/index.ts';
import {
  foreignLoops,
  isAiwgRoot,
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
import { statusFromView } from './read-status.ts';
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

/** Writes the registry again, from the loops themselves; a damaged one is kept aside. */
export function rebuildRegistry(place: LoopPlace): { readonly file: string; readonly active: number } {
  const { root, workingDirectory } = place;
  if (look(nodeFiles, root) === undefined) throw new LoopError(failures.noLoops(root));
  createRegistry(place).refresh();
  const found = readRegistry({ files: nodeFiles, root });
  const active: unknown = found.kind === 'document' ? found.document['active_loops'] : [];
  return {
    file: path.relative(workingDirectory, registryPath(root)),
    active: Array.isArray(active) ? active.length : 0,
  };
}

/** Refuses a state folder whose registry or loops belong to another program; AIWG's own folder is shared with it. */
export function assertNotForeign({ root }: LoopPlace): void {
  const place = { files: nodeFiles, root };
  const registry = readRegistry(place);
  const isShared = isAiwgRoot(root);
  const isKnown = (document: unknown) => isOwnRegistry(document) || (isShared && aiwgKindOf(document) === 'registry');
  if (registry.kind === 'document' && !isKnown(registry.document)) {
    throw new LoopError(failures.foreignState(registryPath(root), 'another program wrote this registry'));
  }
  if (isShared) return;
  const { foreign, ours } = foreignLoops(place);
  if (foreign.length === 0 || ours > 0) return;
  const names = foreign.slice(0, 3).join(', ');
  throw new LoopError(
    failures.foreignState(path.join(root, 'loops'), `another program created its contents (${names})`),
  );
}

function rewrite(place: LoopPlace, locked: LockedRegistry, known: Map<string, EndedLoop>): void {
  assertNotForeign(place);
  const store = openStore(place);
  const live: RegistryRow[] = [];
  const ended: EndedLoop[] = [];
  const unreadable: string[] = [];
  for (const candidate of store.candidates()) {
    const { loopId } = candidate;
    const over = known.get(loopId) ?? glanceAtEnd(candidate);
    if (over !== undefined) {
      known.set(loopId, over);
      ended.push(over);
      continue;
    }
    const views = candidate.isLoop() ? readSafely(store, loopId) : [];
    if (views.length === 0 && store.isProtected(loopId)) unreadable.push(loopId);
    for (const view of views) {
      if (isTerminal(view.loop.status))
        ended.push({ id: loopId, status: view.loop.status, resumedFrom: view.loop.origin.resumedFrom });
      else if (view.loop.status !== 'idle')
        live.push({ ...rowOf(view, place), isEncrypted: store.isProtected(loopId) });
    }
  }
  const file = path.relative(place.workingDirectory, registryPath(place.root));
  const before = readRegistry(locked);
  const found = before.kind === 'document' ? { before: before.document } : {};
  writeRegistry(
    locked,
    toRegistryDocument({ live, ended, locked: unreadable }, { now: timestamp(), registryPath: file, ...found }),
  );
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
export function readSafely(store: LoopFolders, loopId: string): readonly LoopView[] {
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

/** The registry in a folder, with what keeps other processes from writing it. */
export function lockedRegistry({ root }: Pick<LoopPlace, 'root'>): LockedRegistry {
  return {
    files: nodeFiles,
    root,
    lock: sqliteLock,
    now: () => new Date(thisMachine.clock.nowMs()),
    pid: thisMachine.self().pid,
    isRunning: thisMachine.isRunning,
  };
}

import { failures, LoopError, resolveLoopId } from '../base/index.ts';
import { isTerminal, type Loop } from '../core/index.ts';
import { isAlive } from '../process/index.ts';
import type { Status } from '../protocol/index.ts';
import type { LoopStore, OwnerRecord } from '../store/index.ts';
import { foldState } from './ports/store-port.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** A loop seen from outside. */
export interface LoopView {
  readonly loop: Loop;
  readonly folder: string;
  /** The public word: a loop that says it runs but has lost its owner is shown as crashed. */
  readonly shownStatus: Status | 'idle';
  readonly owner?: OwnerRecord & { readonly alive: boolean };
  /** The agent that works on it right now, also when nobody drives the loop. */
  readonly agentPid?: number;
  readonly problems: readonly string[];
}

/** A loop that cannot be read, and why. */
export interface UnreadableLoop {
  readonly loopId: string;
  readonly error: LoopError;
}

/** All loops of a place. One that cannot be read does not hide the others. */
export function listLoops(place: LoopPlace): {
  readonly loops: readonly LoopView[];
  readonly unreadable: readonly UnreadableLoop[];
} {
  const store = openStore(place);
  const loops: LoopView[] = [];
  const unreadable: UnreadableLoop[] = [];
  for (const loopId of store.list()) {
    try {
      loops.push(lookAt(store, loopId));
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      unreadable.push({ loopId, error });
    }
  }
  return { loops, unreadable };
}

/** The loop a user means: by id, by a unique beginning of it, or the only one there is. */
export function findLoop(place: LoopPlace, query: string | undefined): LoopView {
  return lookAt(openStore(place), findLoopId(place, query));
}

/** The id of the loop a user means, whether or not the loop can be read. */
export function findLoopId(place: LoopPlace, query: string | undefined): string {
  const store = openStore(place);
  return query === undefined ? onlyLoop(store, place) : resolve(store, place, query);
}

/** One loop by its exact id. */
export function lookAt(store: LoopStore, loopId: string): LoopView {
  const found = store.read(loopId);
  const loop = foldState(found);
  const { owner, folder } = found;
  const isLost = (loop.status === 'running' || loop.status === 'completing') && owner?.alive !== true;
  return {
    loop,
    folder,
    shownStatus: isLost ? 'crashed' : loop.status,
    ...(owner === undefined ? {} : { owner }),
    ...agentOf(loop),
    problems: found.problems.map(({ message }) => message),
  };
}

function agentOf({ current }: Loop): { readonly agentPid?: number } {
  const agent = current?.stage === 'executing' ? current.process : undefined;
  return agent !== undefined && isAlive(agent) ? { agentPid: agent.pid } : {};
}

function onlyLoop(store: LoopStore, { root }: LoopPlace): string {
  const ids = store.list();
  if (ids.length === 0) throw new LoopError(failures.noLoops(root));
  const live = ids.length === 1 ? ids : ids.filter((loopId) => !isOver(store, loopId));
  const [first, second] = live;
  if (first !== undefined && second === undefined) return first;
  throw new LoopError(failures.loopNotGiven((live.length === 0 ? ids : live).join(', ')));
}

/** A loop that cannot be read may be the very one that is meant. */
function isOver(store: LoopStore, loopId: string): boolean {
  try {
    return isTerminal(lookAt(store, loopId).loop.status);
  } catch (error) {
    if (error instanceof LoopError) return false;
    throw error;
  }
}

function resolve(store: LoopStore, { root }: LoopPlace, query: string): string {
  const ids = store.list();
  if (ids.includes(query)) return query;
  const names = ids.map((id) => ({ id, uuid: uuidOf(store, id) }));
  const match = resolveLoopId(query, names);
  switch (match.kind) {
    case 'exact':
    case 'prefix':
      return match.id;
    case 'ambiguous':
      throw new LoopError(failures.loopAmbiguous(query, match.candidates.join(', ')));
    case 'none':
      throw new LoopError(failures.loopNotFound(query, root));
  }
}

/** A loop that cannot be read is still found by its id. */
function uuidOf(store: LoopStore, loopId: string): string {
  try {
    return foldState(store.read(loopId)).uuid;
  } catch {
    return '';
  }
}

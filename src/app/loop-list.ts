import { LoopError } from '../base/index.ts';
import { isTerminal } from '../core/index.ts';
import { isStopped } from '../process/index.ts';
import type { LoopCandidate, LoopFolders } from '../store/index.ts';
import type { ListedLoops, LoopStatus, UnreadableLoop } from './loop-view.ts';
import { lostLoops } from './lost-loops.ts';
import { readCandidate } from './read-status.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** The loops of a place for a caller that looks at them again and again. */
export interface LoopList {
  /** All of them as they are now. A status that has not changed is the same object as before. */
  read(): Promise<ListedLoops<LoopStatus> & { readonly lost: readonly string[] }>;
}

/** A loop as it was found, with a mark that changes with it. */
type Known =
  | { readonly mark: string; readonly status: LoopStatus }
  | { readonly mark: string; readonly unreadable: UnreadableLoop };

/** Reads only the loops that have changed since the last time. */
export function createLoopList(place: LoopPlace, env: NodeJS.ProcessEnv): LoopList {
  let known: ReadonlyMap<string, Known> = new Map();
  return {
    async read() {
      const store = openStore(place);
      const found = new Map<string, Known>();
      for (const candidate of store.candidates()) {
        const mark = markOf(store, candidate.loopId);
        const before = known.get(candidate.loopId);
        const now = before !== undefined && isCurrent(before, mark) ? before : await look(candidate, mark);
        if (now !== undefined) found.set(candidate.loopId, now);
      }
      known = found;
      const all = [...found.values()];
      return {
        loops: all.flatMap((each) => ('status' in each ? [each.status] : [])),
        unreadable: all.flatMap((each) => ('unreadable' in each ? [each.unreadable] : [])),
        lost: lostLoops(place, env, [...found.keys()]),
      };
    },
  };
}

function isCurrent(known: Known, mark: string): boolean {
  if (!('status' in known) || known.mark !== mark) return false;
  const { view, owner, ownerState, landed } = known.status;
  // Landing records nothing in the loop itself.
  if (isTerminal(view.status)) return view.worktree === undefined || landed !== undefined;
  return owner === undefined || (ownerState === 'stopped') === isStopped(owner);
}

function markOf(store: LoopFolders, loopId: string): string {
  try {
    return store.mark(loopId);
  } catch (error) {
    if (error instanceof LoopError) return '';
    throw error;
  }
}

async function look(candidate: LoopCandidate, mark: string): Promise<Known | undefined> {
  try {
    const status = await readCandidate(candidate);
    return status && { mark, status };
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    return candidate.isLoop() ? { mark, unreadable: { loopId: candidate.loopId, error } } : undefined;
  }
}

import { LoopError } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import type { EventBus, FollowOptions } from '../../runner/index.ts';
import { followFacts, type LoopFolders } from '../../store/index.ts';
import { foldState, typedFact } from './fold-state.ts';

/** The facts of loops in folders, read from their journals. */
export function createFileEventBus(folders: LoopFolders): EventBus {
  return { follow: (loopId, options = {}) => follow(folders, loopId, options) };
}

async function* follow(folders: LoopFolders, loopId: string, options: FollowOptions): AsyncGenerator<RecordedFact> {
  const { afterSeq = 0, signal = new AbortController().signal } = options;
  let mayHaveEnded = true;
  const mayGrow = () => {
    if (!folders.has(loopId)) return false;
    // Only the first time; a later end arrives as a fact.
    const isOver = mayHaveEnded && hasEnded(folders, loopId);
    mayHaveEnded = false;
    return !isOver;
  };
  for await (const entry of followFacts(folders.place(loopId), { afterSeq, signal, mayGrow })) {
    const fact = typedFact(loopId, entry);
    yield fact;
    if (fact.type === 'loop.ended') return;
  }
}

function hasEnded(folders: LoopFolders, loopId: string): boolean {
  try {
    return isTerminal(foldState(folders.read(loopId)).status);
  } catch (error) {
    // A loop that cannot be read or was never started may still be recovered by its next owner.
    if (error instanceof LoopError) return false;
    throw error;
  }
}

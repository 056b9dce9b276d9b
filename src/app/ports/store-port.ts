import { failures, LoopError } from '../../base/index.ts';
import { type Loop, replay } from '../../core/index.ts';
import { fromStateDocument, toStateDocument } from '../../formats/index.ts';
import { type RecordedFact, readFact } from '../../protocol/index.ts';
import type { LoopStore } from '../../runner/index.ts';
import type { JournalEntry, OpenLoop, SnapshotDocument } from '../../store/index.ts';

/** A loop's folder as the place its facts live. */
export function createStorePort(open: OpenLoop, pid: number): LoopStore {
  return {
    append: (facts) => open.append(facts) as readonly RecordedFact[],
    // A loop that rests or has ended has no process that anybody should look for.
    save: (loop) => open.writeSnapshot(toStateDocument(loop, isDriven(loop) ? { pid } : {})),
  };
}

function isDriven({ status }: Loop): boolean {
  return status === 'running' || status === 'completing';
}

/** What was found on disk, of a loop that is open or only looked at. */
export interface FoundState {
  readonly loopId: string;
  readonly snapshot?: SnapshotDocument;
  readonly entries: readonly JournalEntry[];
}

/** The loop that snapshot and journal add up to. */
export function foldState({ loopId, snapshot, entries }: FoundState): Loop {
  const base = snapshot === undefined ? undefined : fromStateDocument(snapshot);
  if (snapshot !== undefined && base === undefined) {
    throw new LoopError(failures.stateUnreadable(loopId, 'its snapshot has no loop in it that this version can read'));
  }
  const loop = replay(
    entries.map((entry) => typed(loopId, entry)),
    base,
  );
  // Left by a process that died while it made the loop: there is nothing to show and nothing to go on with.
  if (loop.status === 'idle') throw new LoopError(failures.stateUnreadable(loopId, 'it was never started'));
  return loop;
}

function typed(loopId: string, entry: JournalEntry): RecordedFact {
  const reading = readFact(entry);
  if (!reading.ok) throw new LoopError(failures.stateUnreadable(loopId, reading.problem));
  return reading.fact;
}

import { failures, LoopError } from '../../base/index.ts';
import { type Loop, replay } from '../../core/index.ts';
import { fromStateDocument } from '../../formats/index.ts';
import { type RecordedFact, readFact, type SnapshotDocument } from '../../protocol/index.ts';
import type { JournalEntry } from '../../store/index.ts';

/** What was found on disk, of a loop that is open or only read. */
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
    entries.map((entry) => typedFact(loopId, entry)),
    base,
  );
  // Left by a process that died while it made the loop: there is nothing to show and nothing to go on with.
  if (loop.status === 'idle') throw new LoopError(failures.stateUnreadable(loopId, 'it was never started'));
  return loop;
}

/** A line of the journal as a fact. */
export function typedFact(loopId: string, entry: JournalEntry): RecordedFact {
  const reading = readFact(entry);
  if (!reading.ok) throw new LoopError(failures.stateUnreadable(loopId, reading.problem));
  return reading.fact;
}

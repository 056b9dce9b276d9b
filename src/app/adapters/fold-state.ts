import { failures, LoopError } from '../../base/index.ts';
import { type Loop, replay } from '../../core/index.ts';
import { fromStateDocument } from '../../formats/index.ts';
import { type RecordedFact, readFact, type SnapshotDocument } from '../../protocol/index.ts';
import type { JournalEntry } from '../../store/index.ts';

/** The state found on disk, of a loop that is opened or only read. */
export interface FoundState {
  readonly loopId: string;
  readonly snapshot?: SnapshotDocument;
  readonly entries: readonly JournalEntry[];
}

/** The loop that snapshot and journal add up to. */
export function foldState({ loopId, snapshot, entries }: FoundState): Loop {
  const base = snapshot === undefined ? undefined : fromStateDocument(snapshot);
  if (snapshot !== undefined && base === undefined) {
    throw new LoopError(failures.stateUnreadable(loopId, 'its snapshot contains no loop that this version can read'));
  }
  const loop = replay(
    entries.map((entry) => typedFact(loopId, entry)),
    base,
  );
  // Left by a process that died while it created the loop: there is nothing to show or resume.
  if (loop.status === 'idle') throw new LoopError(failures.stateUnreadable(loopId, 'it was never started'));
  return loop;
}

/** A line of the journal as a fact. */
export function typedFact(loopId: string, entry: JournalEntry): RecordedFact {
  const reading = readFact(entry);
  if (!reading.ok) throw new LoopError(failures.stateUnreadable(loopId, reading.problem));
  return reading.fact;
}

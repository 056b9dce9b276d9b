import { failures, LoopError } from '../../base/index.ts';
import { type Loop, replay } from '../../core/index.ts';
import { fromStateDocument, toStateDocument } from '../../formats/index.ts';
import { type RecordedFact, readFact } from '../../protocol/index.ts';
import type { LoopStore } from '../../runner/index.ts';
import type { JournalEntry, OpenLoop, SnapshotDocument } from '../../store/index.ts';
import type { Views } from './views.ts';

/** A loop's folder as the place its facts live; the views of it follow. */
export function createStorePort(open: OpenLoop, pid: number | undefined, views: Views): LoopStore {
  return {
    append(facts) {
      const recorded = open.append(facts) as readonly RecordedFact[];
      views.note(recorded);
      return recorded;
    },
    save(loop) {
      views.checkpoint();
      const { lastCheckpoint } = views;
      // A loop that rests or has ended has no process that anybody should look for.
      const details = {
        ...(pid !== undefined && isDriven(loop) ? { pid } : {}),
        ...(lastCheckpoint === undefined ? {} : { lastCheckpoint }),
      };
      open.writeSnapshot(toStateDocument(loop, details));
      views.saved(loop);
    },
    trouble() {
      if (!open.isDiskFull) return undefined;
      const { message, hint } = failures.diskFull(open.folder);
      return `${message} ${hint}`;
    },
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

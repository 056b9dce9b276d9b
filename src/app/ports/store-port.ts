import { createRedactor, failures, LoopError, type Redactor } from '../../base/index.ts';
import { type Loop, replay } from '../../core/index.ts';
import { fromStateDocument, toStateDocument } from '../../formats/index.ts';
import { type Fact, type RecordedFact, readFact } from '../../protocol/index.ts';
import type { LoopStore } from '../../runner/index.ts';
import type { JournalEntry, OpenLoop, SnapshotDocument } from '../../store/index.ts';
import { redactFact } from './redact-facts.ts';
import type { Views } from './views.ts';

/** Who writes, and what must not be written. */
export interface StoreSetting {
  /** The process that drives the loop, if one does. */
  readonly pid?: number;
  readonly redactor?: Redactor;
}

/**
 * A loop's folder as the place its facts live; the views of it follow. Secrets are taken out of facts here, before
 * they are written: everything that is shown or sent later comes from what was written.
 */
export function createStorePort(open: OpenLoop, views: Views, { pid, redactor }: StoreSetting = {}): LoopStore {
  const clean = cleanerOf(redactor ?? createRedactor([]));
  return {
    clean,
    append(facts) {
      const recorded = open.append(clean(facts)) as readonly RecordedFact[];
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

function cleanerOf(redactor: Redactor): (facts: readonly Fact[]) => readonly Fact[] {
  return (facts) => facts.map((fact) => redactFact(fact, redactor));
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

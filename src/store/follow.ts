import { watchChanges } from '../files/index.ts';
import { createJournalCursor, type JournalCursor } from './journal/cursor.ts';
import type { JournalEntry } from './journal/line.ts';
import type { LoopPlace } from './place.ts';
import { journalOf } from './recover.ts';

/** How a journal is followed. */
export interface Following {
  /** The last number that is already known. */
  readonly afterSeq: number;
  readonly signal: AbortSignal;
  /** Whether more may come; called whenever everything has been read. */
  readonly mayGrow: () => boolean;
}

/** The facts of a loop that are on disk now, a segment at a time. */
export function* readFactsOfLoop(place: LoopPlace, afterSeq = 0): Generator<JournalEntry> {
  const cursor = createJournalCursor(journalOf(place), afterSeq);
  for (let read = cursor.next(); read.length > 0; read = cursor.next()) yield* read;
}

/** Reads the facts of a loop after a number, and later those that were recorded meanwhile. */
export function openFacts(place: LoopPlace, afterSeq: number): JournalCursor {
  return createJournalCursor(journalOf(place), afterSeq);
}

/** The facts of a loop after a number, and then new ones as they are recorded, by any owner. */
export async function* followFacts(place: LoopPlace, following: Following): AsyncGenerator<JournalEntry> {
  const { afterSeq, signal, mayGrow } = following;
  const journal = journalOf(place);
  const cursor = createJournalCursor(journal, afterSeq);
  using changes = watchChanges(journal.folder, signal);
  for (;;) {
    for (let read = cursor.next(); read.length > 0; read = cursor.next()) {
      for (const entry of read) {
        if (signal.aborted) return;
        yield entry;
      }
    }
    if (signal.aborted || !mayGrow()) return;
    await changes.next();
  }
}

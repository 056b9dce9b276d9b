import { lookSafely, readIfThere } from '../files/index.ts';
import type { SnapshotDocument } from '../protocol/index.ts';
import { type JournalPlace, segmentPath } from './journal/head.ts';
import type { Position } from './journal/position.ts';
import { listSegments } from './journal/read.ts';
import type { LoopPlace } from './place.ts';
import { journalOf } from './recover.ts';
import { maxSnapshotBytes, parseSnapshotEnd, snapshotPath } from './snapshot.ts';

/**
 * The end of a loop's snapshot, with its view, for a caller that only shows the loop. Undefined unless the
 * snapshot is, to the last byte, what this ralphd wrote, and nothing came later: then the whole loop must be read.
 */
export function glanceAt(
  place: LoopPlace,
): { readonly document: SnapshotDocument; readonly position: Position } | undefined {
  const end = lastSnapshotEnd(place);
  return end && endsAt(journalOf(place), end.position) ? end : undefined;
}

/** The same end of a snapshot, whatever came later. */
export function lastSnapshotEnd(place: LoopPlace): ReturnType<typeof parseSnapshotEnd> {
  const { files, folder } = place;
  const bytes = readIfThere(files, snapshotPath(folder), { limit: maxSnapshotBytes });
  return bytes && parseSnapshotEnd(bytes, place);
}

/** Whether a journal ends where a snapshot says it does, by the name and the size of its last segment alone. */
function endsAt(journal: JournalPlace, { segment, bytes }: Position): boolean {
  if (listSegments(journal).at(-1) !== segment) return false;
  return lookSafely(journal.files, segmentPath(journal, segment), 'file')?.size === bytes;
}

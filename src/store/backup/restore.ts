import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { createFileExclusively, look, quietly, readWhole, writing } from '../../files/index.ts';
import type { SnapshotDocument } from '../../protocol/index.ts';
import { segmentPath } from '../journal/head.ts';
import type { JournalEntry } from '../journal/line.ts';
import type { Position } from '../journal/position.ts';
import { listSegments, readJournal } from '../journal/read.ts';
import { maxSegmentBytes } from '../journal/segment.ts';
import { isOlder, parseSegment } from '../journal/segment-name.ts';
import type { LoopPlace } from '../place.ts';
import { journalOf, type Recovery } from '../recover.ts';
import { snapshotPath } from '../snapshot.ts';
import { listCheckpoints, readStored } from '../stored-documents.ts';

/** What restoring a document would result in. */
export interface RestorePlan {
  readonly file: string;
  readonly document: SnapshotDocument;
  readonly position: Position;
  /** The recorded facts that would no longer count. */
  readonly superseded: readonly JournalEntry[];
  /** The state to continue from. */
  readonly recovery: Recovery;
}

/** Determines the result of restoring a checkpoint or backup; refuses one that is damaged or of another loop. */
export function planRestore(place: LoopPlace, file: string): RestorePlan {
  const found = readStored(place, file);
  if (found.kind !== 'ok') {
    const why = found.kind === 'damaged' ? found.why : 'it does not exist';
    throw new LoopError(failures.restoreRefused(place.loopId, file, why));
  }
  const { document, position } = found;
  const reading = readJournal(journalOf(place), position);
  if (reading === 'off_chain') {
    const why = 'the journal continued without what it was created from';
    throw new LoopError(failures.restoreRefused(place.loopId, file, why));
  }
  const recovery: Recovery = {
    snapshot: document,
    entries: [],
    end: position,
    epoch: Math.max(reading.epoch, parseSegment(position.segment)?.epoch ?? 0),
    problems: [],
    cutOff: { segments: [] },
    hasBadSnapshot: false,
    source: { kind: 'backup', file },
  };
  return { file, document, position, superseded: reading.entries, recovery };
}

/** What a restore leaves behind besides the journal. */
export interface Superseded {
  readonly end: Position;
  /** Folders of iterations that no longer count, below the loop's. */
  readonly folders: readonly string[];
  readonly now: Date;
}

/**
 * Marks what a restore left behind as `*.superseded`. The new segment already records where the journal continues, so
 * nothing here decides anything; nothing is removed. Returns the files, below the loop's folder.
 */
export function putSupersededAside(place: LoopPlace, left: Superseded): readonly string[] {
  const { files, folder } = place;
  const stamp = `${left.now.toISOString().replace(/[-:]|\.\d+/g, '')}-${files.uniqueName()}`;
  const state = snapshotPath(folder);
  const kept: string[] = [];
  const rename = (file: string, aside: string) => {
    if (look(files, file) === undefined) return;
    writing(file, () => files.rename(file, aside));
    kept.push(aside);
  };
  rename(state, `${state}.${stamp}.superseded`);
  kept.push(...putSegmentsAside(place, left.end));
  for (const name of left.folders) rename(path.join(folder, name), path.join(folder, `${name}.${stamp}.superseded`));
  for (const { file } of listCheckpoints(place)) {
    if (isLaterThan(place, file, left.end)) rename(file, `${file}.${stamp}.superseded`);
  }
  return kept.map((file) => path.relative(folder, file));
}

// A checkpoint of what no longer counts would sort before the newer ones, which have lower numbers.
function isLaterThan(place: LoopPlace, file: string, end: Position): boolean {
  try {
    const found = readStored(place, file);
    return found.kind === 'ok' && found.position.seq > end.seq;
  } catch {
    return false;
  }
}

function putSegmentsAside(place: LoopPlace, end: Position): readonly string[] {
  const { files } = place;
  const journal = journalOf(place);
  const kept: string[] = [];
  const tail = segmentPath(journal, end.segment);
  quietly(() => {
    if (look(files, tail) === undefined) return;
    const bytes = readWhole(files, tail, { limit: maxSegmentBytes, from: end.bytes });
    const aside = `${tail}.${end.bytes}.superseded`;
    if (bytes.byteLength > 0 && createFileExclusively(files, aside, bytes)) kept.push(aside);
  });
  // The newest is the one that the restore opened.
  for (const segment of listSegments(journal).slice(0, -1)) {
    if (!isOlder(end.segment, segment)) continue;
    const file = segmentPath(journal, segment);
    quietly(() => {
      files.rename(file, `${file}.superseded`);
      kept.push(`${file}.superseded`);
    });
  }
  quietly(() => files.syncFolder(journal.folder));
  return kept;
}

import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { quietly, writing } from '../files/disk-errors.ts';
import { createFileExclusively, readWhole } from '../files/durable.ts';
import { look } from '../files/folders.ts';
import { segmentPath } from '../journal/head.ts';
import type { Position } from '../journal/position.ts';
import { listSegments, readJournal } from '../journal/read.ts';
import { maxSegmentBytes } from '../journal/segment.ts';
import { isOlder, parseSegment } from '../journal/segment-name.ts';
import type { LoopPlace } from '../place.ts';
import { journalFolder, type Recovery } from '../recover.ts';
import { snapshotPath } from '../snapshot.ts';
import type { SnapshotDocument } from '../snapshot-format.ts';
import { readStored } from '../stored-documents.ts';

/** What restoring a document would come to. */
export interface RestorePlan {
  readonly file: string;
  readonly document: SnapshotDocument;
  readonly position: Position;
  /** How many recorded facts would no longer count. */
  readonly supersededFacts: number;
  /** The state to go on from. */
  readonly recovery: Recovery;
}

/** Finds out what restoring a checkpoint or backup would come to; refuses one that does not verify or fit. */
export function planRestore(place: LoopPlace, file: string): RestorePlan {
  const found = readStored(place, file);
  if (found.kind !== 'ok') {
    const why = found.kind === 'damaged' ? found.why : 'it is not there';
    throw new LoopError(failures.restoreRefused(place.loopId, file, why));
  }
  const { document, position } = found;
  const reading = readJournal({ files: place.files, folder: journalFolder(place.folder) }, position);
  if (reading === 'off_chain') {
    const why = 'the journal went on without what it was made from';
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
  return { file, document, position, supersededFacts: reading.entries.length, recovery };
}

/**
 * Marks what a restore left behind as `*.superseded`. The new segment already says where the journal goes on, so
 * nothing here decides anything; nothing is removed. Returns the files.
 */
export function putSupersededAside(place: LoopPlace, end: Position, now: Date): readonly string[] {
  const { files, folder } = place;
  const journal = { files, folder: journalFolder(folder) };
  const kept: string[] = [];
  const state = snapshotPath(folder);
  if (look(files, state)) {
    const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
    const aside = `${state}.${stamp}-${files.uniqueName()}.superseded`;
    writing(state, () => files.rename(state, aside));
    kept.push(aside);
  }
  const segments = listSegments(journal);
  const newest = segments.at(-1);
  const tail = segmentPath(journal, end.segment);
  if (look(files, tail)) {
    quietly(() => {
      const bytes = readWhole(files, tail, { limit: maxSegmentBytes, from: end.bytes });
      const aside = `${tail}.${end.bytes}.superseded`;
      if (bytes.byteLength > 0 && createFileExclusively(files, aside, bytes)) kept.push(aside);
    });
  }
  for (const segment of segments) {
    if (segment === newest || !isOlder(end.segment, segment)) continue;
    const file = segmentPath(journal, segment);
    quietly(() => {
      files.rename(file, `${file}.superseded`);
      kept.push(`${file}.superseded`);
    });
  }
  quietly(() => files.syncFolder(journal.folder));
  return kept.map((file) => path.relative(folder, file));
}

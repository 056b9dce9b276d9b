import path from 'node:path';
import { createFileExclusively, quietly, reading, readWhole, writing } from '../files/index.ts';
import { segmentPath } from './journal/head.ts';
import { maxSegmentBytes } from './journal/segment.ts';
import type { LoopPlace } from './place.ts';
import { journalFolder, journalOf, type Recovery } from './recover.ts';
import { maxSnapshotBytes, snapshotPath } from './snapshot.ts';

/** Keeps a snapshot that must not be used under another name, so that a new one can replace it. */
export function putSnapshotAside(place: LoopPlace, now: Date): void {
  const { files, folder } = place;
  const file = snapshotPath(folder);
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  writing(file, () => {
    files.rename(file, `${file}.broken-${stamp}-${files.uniqueName()}`);
    files.syncFolder(folder);
  });
}

/** Keeps a snapshot of an older format before one in the current format replaces it. */
export function keepOriginal(place: LoopPlace, format: number): void {
  const { files, folder } = place;
  const file = snapshotPath(folder);
  createFileExclusively(files, `${file}.format-${format}`, readWhole(files, file, { limit: maxSnapshotBytes }));
}

/**
 * Marks what corruption cut off as `*.broken`. The journal has already continued without it and nothing is removed,
 * so a failure here costs only the tidy name.
 */
export function putCutOffAside(place: LoopPlace, cutOff: Recovery['cutOff']): void {
  const { files } = place;
  const journal = journalOf(place);
  const { after } = cutOff;
  if (after) {
    const file = segmentPath(journal, after.segment);
    quietly(() => {
      const bytes = readWhole(files, file, { limit: maxSegmentBytes, from: after.bytes });
      createFileExclusively(files, `${file}.${after.bytes}.broken`, bytes);
    });
  }
  for (const segment of cutOff.segments) {
    const file = segmentPath(journal, segment);
    quietly(() => files.rename(file, `${file}.broken`));
  }
}

const ownTemporary = /^\.((state|owner|key)\.json|\d+-\d+\.jsonl)\.[^.]+\.tmp$/;

/** Removes what interrupted writes of the loop's own files left behind. */
export function removeLeftovers(place: LoopPlace): void {
  const { files } = place;
  for (const folder of [place.folder, journalFolder(place.folder)]) {
    for (const name of reading(folder, () => files.list(folder))) {
      if (ownTemporary.test(name)) quietly(() => files.remove(path.join(folder, name)));
    }
  }
}

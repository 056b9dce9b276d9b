import path from 'node:path';
import { quietly, reading, writing } from '../files/disk-errors.ts';
import { readWhole, writeAll, writeFileDurably } from '../files/durable.ts';
import type { FilePort, OpenFile } from '../files/file-port.ts';
import { look, makeFolders, makeRoot } from '../files/folders.ts';
import type { Position } from '../journal/position.ts';
import { maxSegmentBytes } from '../journal/segment.ts';
import { segmentsAmong } from '../journal/segment-name.ts';
import type { RootedPlace } from '../place.ts';
import { journalFolder } from '../recover.ts';

/**
 * A second copy of a loop's journal, outside the work tree: what an agent deletes or overwrites there can be put
 * back. It is not synced, since it guards against programs and not against power cuts.
 */
export interface Mirror {
  /** Copies what was recorded since the last call. A mirror that cannot be written is given up, never waited for. */
  follow(end: Position): void;
  /** Whether there is anything to put back. */
  hasContent(): boolean;
  /** Puts back what is missing or different; returns what it did, in words. */
  putBack(): readonly string[];
  /** Forgets the loop. */
  discard(): void;
}

/** The mirror of one loop, in a folder of its own. */
export function createMirror(place: RootedPlace, folder: string): Mirror {
  const { files } = place;
  let active: { readonly segment: string; readonly file: OpenFile; bytes: number } | undefined;
  let isGivenUp = false;

  const leave = () => {
    const { file } = active ?? {};
    active = undefined;
    if (file !== undefined) quietly(() => files.close(file));
  };
  const begin = (segment: string) => {
    leave();
    makeRoot(files, folder);
    copySealed(place, folder, segment);
    const target = path.join(folder, segmentFile(segment));
    if (look(files, target) !== undefined) files.remove(target);
    active = { segment, file: files.create(target), bytes: 0 };
    return active;
  };

  return {
    follow(end) {
      if (isGivenUp) return;
      try {
        const mirrored = active?.segment === end.segment ? active : begin(end.segment);
        const source = path.join(journalFolder(place.folder), segmentFile(end.segment));
        writeAll(files, mirrored.file, readRange(files, source, { from: mirrored.bytes, to: end.bytes }));
        mirrored.bytes = end.bytes;
      } catch {
        isGivenUp = true;
        leave();
      }
    },
    hasContent: () => mirroredSegments(files, folder).length > 0,
    putBack: () => putBack(place, folder),
    discard() {
      leave();
      for (const segment of mirroredSegments(files, folder)) {
        quietly(() => files.remove(path.join(folder, segmentFile(segment))));
      }
    },
  };
}

function segmentFile(segment: string): string {
  return `${segment}.jsonl`;
}

function mirroredSegments(files: FilePort, folder: string): readonly string[] {
  if (look(files, folder)?.kind !== 'folder') return [];
  return segmentsAmong(reading(folder, () => files.list(folder)));
}

/** Sealed segments never change, so one of the same size is the same. */
function copySealed(place: RootedPlace, folder: string, active: string): void {
  const { files } = place;
  const journal = journalFolder(place.folder);
  for (const segment of segmentsAmong(files.list(journal))) {
    if (segment === active) continue;
    const source = path.join(journal, segmentFile(segment));
    const target = path.join(folder, segmentFile(segment));
    if (look(files, target)?.size === look(files, source)?.size) continue;
    writeFileDurably(files, target, readWhole(files, source, { limit: maxSegmentBytes }));
  }
}

function readRange(files: FilePort, source: string, range: { readonly from: number; readonly to: number }): Buffer {
  const file = files.openToRead(source);
  try {
    const bytes = Buffer.alloc(range.to - range.from);
    return bytes.subarray(0, files.read(file, bytes, range.from));
  } finally {
    files.close(file);
  }
}

function putBack(place: RootedPlace, folder: string): readonly string[] {
  const { files, root } = place;
  const done: string[] = [];
  const journal = journalFolder(place.folder);
  for (const level of [root, path.dirname(place.folder), place.folder, journal]) {
    if (moveLinkAside(files, level)) done.push(`${level} had become a symbolic link, which was moved aside`);
  }
  makeRoot(files, root);
  makeFolders(files, root, journal);
  for (const segment of mirroredSegments(files, folder)) {
    const bytes = readWhole(files, path.join(folder, segmentFile(segment)), { limit: maxSegmentBytes });
    const target = path.join(journal, segmentFile(segment));
    const what = putBackSegment(files, target, bytes);
    if (what !== undefined) done.push(`${target} ${what}`);
  }
  return done;
}

function moveLinkAside(files: FilePort, level: string): boolean {
  if (look(files, level)?.kind !== 'link') return false;
  writing(level, () => files.rename(level, `${level}.replaced-${files.uniqueName()}`));
  return true;
}

function putBackSegment(files: FilePort, target: string, bytes: Buffer): string | undefined {
  moveLinkAside(files, target);
  const found = look(files, target);
  if (found === undefined) {
    writeFileDurably(files, target, bytes);
    return 'was gone and has been put back';
  }
  const there = readWhole(files, target, { limit: maxSegmentBytes });
  if (there.subarray(0, bytes.byteLength).equals(bytes)) return undefined;
  writing(target, () => files.rename(target, `${target}.${files.uniqueName()}.broken`));
  writeFileDurably(files, target, bytes);
  return 'had been changed and has been put back; what stood there is kept as *.broken';
}

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
  /**
   * Puts back what is missing or different; returns what it did, in words. Behind `end`, where it is known, nothing
   * was acknowledged, and nothing is left.
   */
  putBack(end?: Position): readonly string[];
  /** Forgets the loop. */
  discard(): void;
  /** Leaves the mirror as it is. */
  release(): void;
}

/** The segment that is being written, and its copy. */
interface FollowedSegment {
  readonly segment: string;
  readonly source: OpenFile;
  readonly target: OpenFile;
  bytes: number;
}

/** The mirror of one loop, in a folder of its own. */
export function createMirror(place: RootedPlace, folder: string): Mirror {
  const { files } = place;
  let active: FollowedSegment | undefined;
  let isGivenUp = false;

  const leave = () => {
    const { source, target } = active ?? {};
    active = undefined;
    for (const file of [source, target]) if (file !== undefined) quietly(() => files.close(file));
  };
  const begin = (segment: string) => {
    leave();
    makeRoot(files, folder);
    copySealed(place, folder, segment);
    const copy = path.join(folder, segmentFile(segment));
    if (look(files, copy) !== undefined) files.remove(copy);
    const source = files.openToRead(path.join(journalFolder(place.folder), segmentFile(segment)));
    active = { segment, source, target: files.create(copy), bytes: 0 };
    return active;
  };

  return {
    follow(end) {
      if (isGivenUp) return;
      try {
        const mirrored = active?.segment === end.segment ? active : begin(end.segment);
        const bytes = Buffer.alloc(end.bytes - mirrored.bytes);
        const length = files.read(mirrored.source, bytes, mirrored.bytes);
        writeAll(files, mirrored.target, bytes.subarray(0, length));
        mirrored.bytes = end.bytes;
      } catch {
        isGivenUp = true;
        leave();
      }
    },
    hasContent: () => mirroredSegments(files, folder).length > 0,
    putBack(end) {
      leave();
      return putBack(place, folder, end);
    },
    release: leave,
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
  const segments = segmentsAmong(files.list(journal));
  for (const segment of mirroredSegments(files, folder)) {
    // Put aside on purpose, by a restore.
    if (!segments.includes(segment)) files.remove(path.join(folder, segmentFile(segment)));
  }
  for (const segment of segments) {
    if (segment === active) continue;
    const source = path.join(journal, segmentFile(segment));
    const target = path.join(folder, segmentFile(segment));
    if (look(files, target)?.size === look(files, source)?.size) continue;
    writeFileDurably(files, target, readWhole(files, source, { limit: maxSegmentBytes }));
  }
}

function putBack(place: RootedPlace, folder: string, end: Position | undefined): readonly string[] {
  const { files, root } = place;
  const done: string[] = [];
  const journal = journalFolder(place.folder);
  for (const level of [root, path.dirname(place.folder), place.folder, journal]) {
    if (moveLinkAside(files, level)) done.push(`${level} had become a symbolic link, which was moved aside`);
  }
  makeRoot(files, root);
  makeFolders(files, root, journal);
  for (const segment of mirroredSegments(files, folder)) {
    const mirrored = readWhole(files, path.join(folder, segmentFile(segment)), { limit: maxSegmentBytes });
    const target = path.join(journal, segmentFile(segment));
    const isLast = segment === end?.segment;
    const bytes = isLast ? mirrored.subarray(0, end.bytes) : mirrored;
    const what = putBackSegment(files, target, { bytes, isExact: isLast && bytes.byteLength === end.bytes });
    if (what !== undefined) done.push(`${target} ${what}`);
  }
  return done;
}

function moveLinkAside(files: FilePort, level: string): boolean {
  if (look(files, level)?.kind !== 'link') return false;
  writing(level, () => files.rename(level, `${level}.replaced-${files.uniqueName()}`));
  return true;
}

function putBackSegment(
  files: FilePort,
  target: string,
  { bytes, isExact }: { readonly bytes: Buffer; readonly isExact: boolean },
): string | undefined {
  moveLinkAside(files, target);
  const found = look(files, target);
  if (found === undefined) {
    writeFileDurably(files, target, bytes);
    return 'was gone and has been put back';
  }
  const there = readWhole(files, target, { limit: maxSegmentBytes });
  if ((isExact ? there : there.subarray(0, bytes.byteLength)).equals(bytes)) return undefined;
  writing(target, () => files.rename(target, `${target}.${files.uniqueName()}.broken`));
  writeFileDurably(files, target, bytes);
  return 'had been changed and has been put back; what stood there is kept as *.broken';
}

import path from 'node:path';
import { isLoopId } from '../../base/index.ts';
import {
  type FilePort,
  look,
  makeRoot,
  type OpenFile,
  quietly,
  readWhole,
  writeAll,
  writeFileDurably,
} from '../../files/index.ts';
import { createJournalCursor } from '../journal/cursor.ts';
import { type JournalPlace, segmentPath } from '../journal/head.ts';
import type { JournalEntry } from '../journal/line.ts';
import type { Position } from '../journal/position.ts';
import { listSegments } from '../journal/read.ts';
import { maxSegmentBytes } from '../journal/segment.ts';
import { isOlder } from '../journal/segment-name.ts';
import { protectionFile, type RootedPlace } from '../place.ts';
import { journalOf } from '../recover.ts';
import { endsAt, makeWay, mirroredSegments, putBack, soundPart } from './put-back.ts';

/**
 * A second copy of a loop's journal, outside the work tree: what an agent deletes or overwrites there can be
 * restored. The segment being written is not synced, since this guards against programs and not against power cuts.
 */
export interface Mirror {
  /**
   * Copies what was recorded since the last call; `latest` is what was written last, because an agent may have cut it off
   * by now. A mirror that cannot be written is abandoned, never waited for.
   */
  follow(end: Position, latest?: Uint8Array): void;
  /** Whether there is anything to restore. */
  hasContent(): boolean;
  /** Whether the copy goes further than a journal that ends there. */
  goesBeyond(end: Position | undefined): boolean;
  /** Recreates the loop's folders so that its lock can be taken; returns descriptions of what it did. */
  makeWay(): readonly string[];
  /**
   * Restores what is missing or damaged, while the loop's lock is held; returns descriptions of what it
   * did. After `end`, if it is known, nothing was acknowledged, and everything is removed.
   */
  putBack(end?: Position): readonly string[];
  /** Whether the journal contains everything up to `end` and no fact after it. */
  endsAt(end: Position): boolean;
  /** The copies that cannot be trusted to their end. */
  damagedCopies(): readonly string[];
  /** Removes the mirror, durably. */
  discard(): void;
  /** Leaves the mirror unchanged. */
  release(): void;
}

/** The segment that is being written, and its copy. */
interface FollowedSegment {
  readonly segment: string;
  readonly source: OpenFile;
  readonly target: OpenFile;
  bytes: number;
}

/** How often in a row a copy may fail before it is abandoned: a program that deletes a folder may not be finished yet. */
const maxFailures = 3;

/** The mirror of one loop, in its own folder. */
export function createMirror(place: RootedPlace, folder: string): Mirror {
  const { files } = place;
  const journal = journalOf(place);
  const copies = { ...journal, folder };
  let active: FollowedSegment | undefined;
  let failures = 0;

  const leave = () => {
    const { source, target } = active ?? {};
    active = undefined;
    for (const file of [source, target]) if (file !== undefined) quietly(() => files.close(file));
  };
  const begin = (segment: string) => {
    // From now on it is no longer compared with its source.
    if (active) files.syncData(active.target);
    leave();
    makeRoot(files, folder);
    place.protection?.keep();
    copySealed(journal, copies, segment);
    const copy = segmentPath(copies, segment);
    if (look(files, copy) !== undefined) files.remove(copy);
    const source = files.openToRead(segmentPath(journal, segment));
    active = { segment, source, target: createOr(files, copy, source), bytes: 0 };
    files.syncFolder(folder);
    return active;
  };

  const readBack = ({ source, bytes: from }: FollowedSegment, length: number): Buffer => {
    const bytes = Buffer.alloc(length);
    if (files.read(source, bytes, from) < length) throw new Error('the segment was cut');
    return bytes;
  };

  const tryToCopy = (end: Position, latest: Uint8Array | undefined): boolean => {
    try {
      const mirrored = active?.segment === end.segment ? active : begin(end.segment);
      const missing = end.bytes - mirrored.bytes;
      writeAll(files, mirrored.target, latest?.byteLength === missing ? latest : readBack(mirrored, missing));
      mirrored.bytes = end.bytes;
      return true;
    } catch {
      leave();
      return false;
    }
  };

  return {
    follow(end, latest) {
      if (failures >= maxFailures) return;
      // Once more, from the beginning of the segment, before anything relies on the copy.
      failures = tryToCopy(end, latest) || tryToCopy(end, latest) ? 0 : failures + 1;
    },
    hasContent: () => mirroredSegments(files, folder).length > 0,
    goesBeyond(end) {
      const newest = mirroredSegments(files, folder).at(-1);
      if (newest === undefined || end === undefined) return newest !== undefined;
      if (newest !== end.segment) return isOlder(end.segment, newest);
      return (look(files, segmentPath(copies, newest))?.size ?? 0) > end.bytes;
    },
    makeWay: () => makeWay(place),
    putBack(end) {
      leave();
      return putBack(place, folder, end);
    },
    endsAt: (end) => endsAt(place, end),
    damagedCopies: () =>
      mirroredSegments(files, folder).flatMap((segment) => {
        const file = segmentPath(copies, segment);
        return soundPart(copies, segment)?.bytes.byteLength === look(files, file)?.size ? [] : [file];
      }),
    release: leave,
    discard() {
      leave();
      quietly(() => removeCopies(copies, place.protection !== undefined));
    },
  };
}

function removeCopies(copies: JournalPlace, isProtected: boolean): void {
  const { files, folder } = copies;
  const segments = mirroredSegments(files, folder);
  for (const segment of segments) files.remove(segmentPath(copies, segment));
  if (segments.length > 0) files.syncFolder(folder);
  if (isProtected) files.remove(path.join(folder, protectionFile));
}

function createOr(files: FilePort, copy: string, source: OpenFile): OpenFile {
  try {
    return files.create(copy);
  } catch (error) {
    quietly(() => files.close(source));
    throw error;
  }
}

/**
 * Sealed segments never change. A copy of the same size is the same, except for the newest: it may never have been
 * synced. Nothing that is missing or damaged in the journal is taken over from there.
 */
function copySealed(journal: JournalPlace, copies: JournalPlace, active: string): void {
  const { files } = journal;
  const sealed = listSegments(journal).filter((segment) => isOlder(segment, active));
  for (const segment of sealed) {
    const [from, to] = [segmentPath(journal, segment), segmentPath(copies, segment)];
    const isCopied = look(files, to)?.size === look(files, from)?.size;
    if (isCopied && segment !== sealed.at(-1)) continue;
    if (isCopied && readWhole(files, to, { limit: maxSegmentBytes }).equals(wholeOf(files, from))) continue;
    const found = soundPart(journal, segment);
    const copied = soundPart(copies, segment);
    if (!found || (copied && copied.bytes.byteLength >= found.bytes.byteLength)) continue;
    writeFileDurably(files, to, found.bytes);
  }
}

function wholeOf(files: FilePort, file: string): Buffer {
  return readWhole(files, file, { limit: maxSegmentBytes });
}

/** The loops that a folder of mirrors has copies of, without those that are known to exist. */
export function loopsInMirror(files: FilePort, mirrorRoot: string, known: ReadonlySet<string>): readonly string[] {
  if (look(files, mirrorRoot)?.kind !== 'folder') return [];
  const names = files.listFolders(mirrorRoot).filter((name) => isLoopId(name) && !known.has(name));
  return names.filter((name) => mirroredSegments(files, path.join(mirrorRoot, name)).length > 0).toSorted();
}

/** The facts of a loop as its mirror has them, a segment at a time. */
export function* readMirroredFacts(files: FilePort, mirrorRoot: string, loopId: string): Generator<JournalEntry> {
  const cursor = createJournalCursor({ files, loopId, folder: path.join(mirrorRoot, loopId) }, 0);
  for (let read = cursor.next(); read.length > 0; read = cursor.next()) yield* read;
}

import path from 'node:path';
import {
  createFileExclusively,
  type FilePort,
  look,
  makeFolders,
  reading,
  readWhole,
  writeFileDurably,
  writing,
} from '../../files/index.ts';
import { type JournalPlace, readHead, segmentPath } from '../journal/head.ts';
import { type Link, origin } from '../journal/line.ts';
import { isSamePosition, type Position } from '../journal/position.ts';
import { listSegments, readJournal } from '../journal/read.ts';
import { scanLines } from '../journal/scan.ts';
import { maxSegmentBytes } from '../journal/segment.ts';
import { isOlder, parseSegment, segmentsAmong } from '../journal/segment-name.ts';
import type { RootedPlace } from '../place.ts';
import { journalFolder, journalOf } from '../recover.ts';
import { prepareRoot } from '../root.ts';

/** The segments that a mirror's folder has copies of, oldest first. */
export function mirroredSegments(files: FilePort, folder: string): readonly string[] {
  if (look(files, folder)?.kind !== 'folder') return [];
  return segmentsAmong(reading(folder, () => files.list(folder)));
}

/** Recreates the folders of a loop where something else is in their way; returns descriptions of what it did. */
export function makeWay({ files, root, folder }: RootedPlace): readonly string[] {
  const journal = journalFolder(folder);
  const done = [root, path.dirname(folder), folder, journal].flatMap((level) =>
    moveAsideUnless('folder', files, level)
      ? [`${level} had been replaced by something else, which was moved aside`]
      : [],
  );
  const hasMarked = prepareRoot(files, root) === 'made';
  makeFolders(files, root, journal);
  return hasMarked ? [...done, `${path.join(root, '.gitignore')} was missing and has been restored`] : done;
}

/**
 * Puts back what a journal lacks and its copy has: only sound lines, and only where they continue the sound lines
 * of the journal. Hold the loop's lock. After `end`, if it is known, nothing was acknowledged, and everything is removed.
 * Returns what it did, in words.
 */
export function putBack(place: RootedPlace, mirror: string, end?: Position): readonly string[] {
  const journal = journalOf(place);
  const copies = { ...journal, folder: mirror };
  const isOurs = end !== undefined && !isTakenOver(journal, end);
  const names = new Set([...mirroredSegments(place.files, mirror), ...(isOurs ? [end.segment] : [])]);
  const done = [...names].flatMap((segment) => {
    const file = segmentPath(journal, segment);
    moveAsideUnless('file', place.files, file);
    const copy = soundPart(copies, segment);
    const wanted = isOurs && segment === end.segment ? exactly(journal, copies, end) : undefined;
    return wanted ? replace(place.files, file, wanted) : complete(journal, segment, copy);
  });
  return isOurs ? [...done, ...putLaterAside(journal, end)] : done;
}

/** Whether a journal holds everything up to `end` and no fact after it. */
export function endsAt(place: RootedPlace, end: Position): boolean {
  const found = readJournal(journalOf(place), end);
  if (found === 'off_chain' || found.entries.length > 0) return false;
  return !found.problems.some(({ kind }) => kind === 'corruption' || kind === 'journal_behind');
}

/** The sound lines at the beginning of a segment, at most so many bytes; undefined when not even the first is sound. */
export function soundPart(place: JournalPlace, segment: string, most = maxSegmentBytes): Sound | undefined {
  const head = readHead(place, segment);
  if (!head) return undefined;
  const bytes = readWhole(place.files, segmentPath(place, segment), { limit: maxSegmentBytes }).subarray(0, most);
  const { bytes: length, link } = scanLines(bytes, head.previous ?? origin, epochOf(segment));
  return { bytes: bytes.subarray(0, length), link };
}

/** Sound lines and where they end. */
export interface Sound {
  readonly bytes: Buffer;
  readonly link: Link;
}

// Another owner continued from a different position: theirs decides what counts.
function isTakenOver(journal: JournalPlace, end: Position): boolean {
  const epoch = epochOf(end.segment);
  const later = listSegments(journal).filter((segment) => epochOf(segment) > epoch);
  return later.some((segment) => {
    const head = readHead(journal, segment);
    if (!head) return false;
    const { previous } = head;
    return previous === null || (epochOf(previous.segment) <= epoch && !isSamePosition(previous, end));
  });
}

function epochOf(segment: string): number {
  return parseSegment(segment)?.epoch ?? 0;
}

function exactly(journal: JournalPlace, copies: JournalPlace, end: Position): Buffer | undefined {
  const parts = [soundPart(journal, end.segment, end.bytes), soundPart(copies, end.segment, end.bytes)];
  return parts.find((part) => part?.bytes.byteLength === end.bytes && part.link.crc === end.crc)?.bytes;
}

function complete(journal: JournalPlace, segment: string, copy: Sound | undefined): readonly string[] {
  if (!copy) return [];
  const found = soundPart(journal, segment);
  if (found && !isBeginning(found.bytes, copy.bytes)) return [];
  if (found?.bytes.byteLength === copy.bytes.byteLength) return [];
  return replace(journal.files, segmentPath(journal, segment), copy.bytes);
}

function isBeginning(of: Buffer, whole: Buffer): boolean {
  return of.byteLength <= whole.byteLength && whole.subarray(0, of.byteLength).equals(of);
}

function replace(files: FilePort, file: string, bytes: Buffer): readonly string[] {
  if (look(files, file) === undefined) {
    writeFileDurably(files, file, bytes);
    return [`${file} was missing and has been restored`];
  }
  const found = readWhole(files, file, { limit: maxSegmentBytes });
  if (found.equals(bytes)) return [];
  // Never without a file of that name: what is there may be all that a power cut leaves.
  createFileExclusively(files, `${file}.${files.uniqueName()}.broken`, found);
  writeFileDurably(files, file, bytes);
  return [`${file} had been changed and has been restored; the previous content is kept as *.broken`];
}

// What an append began and could not finish before the loop was lost.
function putLaterAside(journal: JournalPlace, end: Position): readonly string[] {
  const { files } = journal;
  const later = listSegments(journal).filter(
    (segment) => isOlder(end.segment, segment) && epochOf(segment) === epochOf(end.segment),
  );
  return later.map((segment) => {
    const file = segmentPath(journal, segment);
    writing(file, () => files.rename(file, `${file}.${files.uniqueName()}.broken`));
    return `${file} was never acknowledged and is kept as *.broken`;
  });
}

function moveAsideUnless(kind: 'file' | 'folder', files: FilePort, place: string): boolean {
  const found = look(files, place)?.kind;
  if (found === undefined || found === kind) return false;
  writing(place, () => files.rename(place, `${place}.replaced-${files.uniqueName()}`));
  return true;
}

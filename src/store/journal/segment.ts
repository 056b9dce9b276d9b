import { look, readWhole } from '../../files/index.ts';
import type { Problem } from '../problem.ts';
import { type JournalPlace, newerJournal, segmentPath } from './head.ts';
import { crcField, type JournalEntry, maxLineBytes, suffixBytes } from './line.ts';
import { isSamePosition, type Position } from './position.ts';
import { scanLines } from './scan.ts';
import { parseSegment } from './segment-name.ts';

/** The largest segment that is read; rotation keeps ours far below. */
export const maxSegmentBytes = 256 * 1024 * 1024;

/** What one segment contains from some point on. */
export interface SegmentReading {
  readonly entries: readonly JournalEntry[];
  readonly end: Position;
  readonly problems: readonly Problem[];
  /** False when acknowledged lines are damaged or missing after `end`. */
  readonly isWhole: boolean;
}

/**
 * Reads a segment after `start`. `sealed` is the end that the next segment's owner accepted: what follows it
 * does not count, and what is missing before it is corruption. Without it the segment is the newest one.
 */
export function readSegment(
  place: JournalPlace,
  start: Position,
  sealed: Position | undefined,
): SegmentReading | 'off_chain' {
  return read(place, start, { sealed, length: maxSegmentBytes });
}

/** Room for some hundred lines of the usual length: their garbage is cheap to collect. */
const sliceBytes = 256 * 1024;

/**
 * Reads the next lines of a segment, in little memory, for a reader that continues from where they end. What follows them
 * is not judged: the segment is whole only when its sealed end was reached.
 */
export function readSlice(
  place: JournalPlace,
  start: Position,
  sealed: Position | undefined,
): Pick<SegmentReading, 'entries' | 'end' | 'isWhole'> | 'off_chain' {
  const slice = read(place, start, { sealed, length: sliceBytes });
  if (slice === 'off_chain' || slice.entries.length > 0) return slice;
  return read(place, start, { sealed, length: maxLineBytes });
}

function read(
  place: JournalPlace,
  start: Position,
  { sealed, length }: { readonly sealed: Position | undefined; readonly length: number },
): SegmentReading | 'off_chain' {
  if (sealed && isSamePosition(start, sealed)) return { entries: [], end: start, problems: [], isWhole: true };
  if (sealed && (sealed.bytes <= start.bytes || sealed.seq <= start.seq)) return 'off_chain';

  const file = segmentPath(place, start.segment);
  const lines = linesAfter(place, start, length);
  if (lines === undefined) return lostAfter(file, start, sealed);

  const epoch = parseSegment(start.segment)?.epoch ?? 0;
  const accepted = sealed ? lines.subarray(0, sealed.bytes - start.bytes) : lines;
  const { entries, bytes, link, rest } = scanLines(accepted, start, epoch);
  if (typeof rest === 'object') throw newerJournal(file, rest.newer);
  const end: Position = { segment: start.segment, bytes: start.bytes + bytes, ...link };
  const left = start.bytes + lines.byteLength - end.bytes;

  if (sealed) {
    if (!isSamePosition(end, sealed)) return { entries, end, problems: [corruption(file, end)], isWhole: false };
    return { entries, end, problems: left > 0 ? [ignored(file, end, left)] : [], isWhole: true };
  }
  if (rest === 'corrupt') return { entries, end, problems: [corruption(file, end)], isWhole: false };
  return { entries, end, problems: rest === 'torn' ? [torn(file, left)] : [], isWhole: true };
}

// Undefined: the file does not contain what `start` requires before it.
function linesAfter(place: JournalPlace, start: Position, length: number): Buffer | undefined {
  const file = segmentPath(place, start.segment);
  if (look(place.files, file) === undefined) return undefined;
  const overlap = start.bytes === 0 ? 0 : suffixBytes + 1;
  const from = start.bytes - overlap;
  const bytes = readWhole(place.files, file, { limit: maxSegmentBytes, from, length: length + overlap });
  if (overlap === 0) return bytes;
  const isExpected = bytes[suffixBytes] === 0x0a && crcField(bytes.subarray(0, suffixBytes)) === start.crc;
  return isExpected ? bytes.subarray(overlap) : undefined;
}

function lostAfter(file: string, start: Position, sealed: Position | undefined): SegmentReading {
  if (sealed || start.bytes === 0) {
    return { entries: [], end: start, problems: [corruption(file, start)], isWhole: false };
  }
  const message = `${file} no longer contains what state.json was built from; the loop continues from state.json alone.`;
  return { entries: [], end: start, problems: [{ kind: 'journal_behind', file, message }], isWhole: true };
}

function corruption(file: string, end: Position): Problem {
  const message = `${file} is damaged after byte ${end.bytes}; facts up to number ${end.seq} were recovered.`;
  return { kind: 'corruption', file, message };
}

function ignored(file: string, end: Position, left: number): Problem {
  const message = `${left} bytes after the accepted end of ${file} (byte ${end.bytes}) are ignored: no owner acknowledged them.`;
  return { kind: 'ignored_bytes', file, message };
}

function torn(file: string, left: number): Problem {
  const message = `${file} ends in ${left} bytes that are not a whole sound line: a write was cut off there.`;
  return { kind: 'torn_tail', file, message };
}

import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { type FilePort, look, readStart } from '../../files/index.ts';
import type { ProcessIdentity } from '../lock/owner.ts';
import { decodeLine, type Fact, journalFormat, origin } from './line.ts';
import { type Position, readPosition, type WrittenPosition, writePosition } from './position.ts';
import { parseSegment, segmentFile } from './segment-name.ts';

/** The fact that the store itself records as the first line of every segment. */
export const segmentOpened = 'segment.opened';

/** A journal folder, the disk it is on, and whose journal it should be. */
export interface JournalPlace {
  readonly files: FilePort;
  readonly folder: string;
  readonly loopId: string;
}

/** The content of the first line of a segment: where the journal continued from, as its new owner accepted it. */
export interface Head {
  readonly segment: string;
  readonly previous: Position | null;
}

interface SegmentOpened extends Fact {
  readonly data: {
    readonly loopId: string;
    readonly segment: string;
    readonly owner: ProcessIdentity;
    readonly previous: WrittenPosition | null;
  };
}

/** The description of a new segment. */
export interface Opening extends Head {
  readonly loopId: string;
  readonly owner: ProcessIdentity;
}

// The identity of an owner and a position are far below this.
const headBytes = 16 * 1024;

// Every read of a journal begins with first lines: one buffer for all, nothing of which outlives a call.
const headBuffer = Buffer.allocUnsafeSlow(headBytes);

/** The first fact of a new segment. */
export function headFact({ loopId, segment, owner, previous }: Opening): SegmentOpened {
  const { host, bootId, pid, startTime } = owner;
  const written = previous && writePosition(previous);
  return { type: segmentOpened, data: { loopId, segment, owner: { host, bootId, pid, startTime }, previous: written } };
}

/** Where a segment's file is. */
export function segmentPath(place: JournalPlace, segment: string): string {
  return path.join(place.folder, segmentFile(segment));
}

/** The refusal to read a journal of a later format. */
export function newerJournal(file: string, version: unknown): LoopError {
  return new LoopError(failures.stateNewerVersion(file, String(journalFormat), String(version)));
}

/**
 * Reads a segment's first line; undefined when there is no such file or the line is not sound. Later formats must
 * keep the framing of this line, so that an older ralphd refuses them instead of treating them as damage.
 */
export function readHead(place: JournalPlace, segment: string): Head | undefined {
  const head = readOpening(place, segment);
  return head && !isForeign(place, head.loopId) ? head : undefined;
}

/** The other loop that a segment was made for, when its first line is sound and names one. */
export function foreignLoopOf(place: JournalPlace, segment: string): string | undefined {
  const named = readOpening(place, segment)?.loopId;
  return isForeign(place, named) ? String(named) : undefined;
}

// Journals of the first releases do not name their loop.
function isForeign({ loopId }: JournalPlace, named: unknown): boolean {
  return named !== undefined && named !== loopId;
}

function readOpening(place: JournalPlace, segment: string): (Head & { readonly loopId: unknown }) | undefined {
  const file = segmentPath(place, segment);
  if (look(place.files, file) === undefined) return undefined;
  const start = readStart(place.files, file, headBuffer);
  const end = start.indexOf('\n');
  if (end < 0) return undefined;
  const line = start.subarray(0, end);
  const previous = claimedPrevious(line);
  if (previous === undefined) return undefined;
  const decoded = decodeLine(line, previous ?? origin);
  if (decoded.kind === 'newer') throw newerJournal(file, decoded.version);
  if (decoded.kind !== 'entry' || decoded.entry.type !== segmentOpened) return undefined;
  const { epoch, data } = decoded.entry;
  if (epoch !== parseSegment(segment)?.epoch || field(data, 'segment') !== segment) return undefined;
  return { segment, previous, loopId: field(data, 'loopId') };
}

/** What a first line claims to follow, sound or not: null for nothing, undefined if it names nothing. */
export function claimedPrevious(line: Buffer): Position | null | undefined {
  try {
    const previous = field(field(JSON.parse(line.toString('utf8')), 'data'), 'previous');
    return previous === null ? null : readPosition(previous);
  } catch {
    return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

import { createHash } from 'node:crypto';
import { readWhole } from '../../files/index.ts';
import type { LoopPlace } from '../place.ts';
import { journalOf } from '../recover.ts';
import { segmentPath } from './head.ts';
import { formatCrc, type JournalEntry } from './line.ts';
import { listSegments, readJournal } from './read.ts';
import { maxSegmentBytes } from './segment.ts';

/** One file of a journal, as it can be recognised later. */
export interface SegmentEvidence {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A journal and what ties a copy of its facts to it. */
export interface JournalEvidence {
  readonly entries: readonly JournalEntry[];
  /** The checksum of each line by its number; each covers all lines before it. */
  readonly crcs: ReadonlyMap<number, string>;
  readonly segments: readonly SegmentEvidence[];
  readonly end: { readonly seq: number; readonly crc: string };
  /** What is wrong with the journal, a sentence each. */
  readonly problems: readonly string[];
}

/** Reads a loop's whole journal together with its checksums and the digests of its files. */
export function readEvidence(place: LoopPlace): JournalEvidence {
  const journal = journalOf(place);
  const { entries, end, problems } = readJournal(journal);
  const crcs = new Map<number, string>();
  const segments = listSegments(journal).map((name) => {
    const bytes = readWhole(journal.files, segmentPath(journal, name), { limit: maxSegmentBytes });
    for (const [seq, crc] of crcsIn(bytes)) crcs.set(seq, crc);
    return { name, bytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  return {
    entries,
    crcs,
    segments,
    end: { seq: end?.seq ?? 0, crc: formatCrc(end?.crc ?? 0) },
    problems: problems.filter(({ kind }) => kind === 'corruption').map(({ message }) => message),
  };
}

const line = /^\{"v":\d+,"seq":(\d+),.*,"crc":"([0-9a-f]{8})"\}\s*$/;

function crcsIn(bytes: Buffer): readonly (readonly [number, string])[] {
  const found = bytes
    .toString('utf8')
    .split('\n')
    .map((text) => line.exec(text));
  return found.flatMap((match) => (match === null ? [] : [[Number(match[1]), match[2] ?? '']]));
}

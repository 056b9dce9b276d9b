import { type Chain, findChain } from './chain.ts';
import { type JournalPlace, readHead, segmentOpened } from './head.ts';
import type { JournalEntry } from './line.ts';
import { isSamePosition, type Position } from './position.ts';
import { listSegments, startOf } from './read.ts';
import { readSlice } from './segment.ts';
import { isOlder, parseSegment } from './segment-name.ts';

/** A reader that continues where it stopped. */
export interface JournalCursor {
  /** The next facts, a few thousand at most; none when everything that counts has been read. */
  next(): readonly JournalEntry[];
}

/** No owner appends more facts at once. */
const maxBatch = 256;

/**
 * Reads the facts after a number, each once, while others append to the journal, open new segments and take it over.
 * If the journal continued without facts that were already read, what was recorded in their place is read next. An
 * owner whose sync failed records the same facts in a new segment: those are not returned again.
 */
export function createJournalCursor(place: JournalPlace, afterSeq: number): JournalCursor {
  let position: Position | undefined;
  let knownSeq = afterSeq;
  let recent: readonly JournalEntry[] = [];
  let repeated: readonly JournalEntry[] = [];
  const withoutRepeated = (entries: readonly JournalEntry[]) => {
    const differing = entries.findIndex((entry, index) => !isSameFact(entry, repeated[index]));
    const known = differing === -1 ? entries.length : differing;
    repeated = differing === -1 ? repeated.slice(known) : [];
    return entries.slice(known);
  };
  return {
    next() {
      position ??= positionAfter(place, afterSeq);
      // Each turn continues with later bytes or a later segment, or ends.
      while (position !== undefined) {
        const step = readOn(place, position);
        if (step === 'off_chain') {
          const elsewhere = segmentAfter(place, position);
          if (elsewhere === undefined) return [];
          const isSameOwner = parseSegment(elsewhere.segment)?.epoch === parseSegment(position.segment)?.epoch;
          repeated = isSameOwner ? recent.filter(({ seq }) => seq > elsewhere.seq) : [];
          position = elsewhere;
          knownSeq = 0;
          continue;
        }
        // A slice without requested facts may be followed by one with some.
        const isAtEnd = step.next === undefined && isSamePosition(step.end, position);
        position = step.next ?? step.end;
        const found = step.entries.filter(({ seq, type }) => type !== segmentOpened && seq > knownSeq);
        const entries = withoutRepeated(found);
        recent = [...recent, ...entries.slice(-maxBatch)].slice(-maxBatch);
        if (entries.length > 0 || isAtEnd) return entries;
      }
      return [];
    },
  };
}

/** The number and the instant of a fact change when it is recorded again. */
function isSameFact(one: JournalEntry, other: JournalEntry | undefined): boolean {
  return one.type === other?.type && JSON.stringify(one.data) === JSON.stringify(other.data);
}

interface Step {
  readonly entries: readonly JournalEntry[];
  readonly end: Position;
  /** The beginning of the next segment, when this one has been read to its end. */
  readonly next?: Position;
}

/** What one segment contains after a position. */
function readOn(place: JournalPlace, from: Position): Step | 'off_chain' {
  const chain = chainOf(place, from);
  if (chain === 'off_chain') return chain;
  const [, following] = chain.heads;
  if (chain.heads.length === 0) return { entries: [], end: from };
  const reading = readSlice(place, from, following?.previous ?? undefined);
  if (reading === 'off_chain') return reading;
  const { entries, end, isWhole } = reading;
  return { entries, end, ...(isWhole && following && { next: startOf(following) }) };
}

/** Where to begin for a reader that knows everything up to a number. */
function positionAfter(place: JournalPlace, seq: number): Position | undefined {
  const heads = headsOf(place);
  const head = heads.findLast(({ previous }) => (previous?.seq ?? 0) <= seq) ?? heads[0];
  return head && startOf(head);
}

/** Where to continue if what was read no longer counts: at the first segment that counts after it. */
function segmentAfter(place: JournalPlace, lost: Position): Position | undefined {
  const head = headsOf(place).find(({ segment }) => isOlder(lost.segment, segment));
  return head && startOf(head);
}

function headsOf(place: JournalPlace): Chain['heads'] {
  const chain = chainOf(place);
  return chain === 'off_chain' ? [] : chain.heads;
}

function chainOf(place: JournalPlace, from?: Position): Chain | 'off_chain' {
  const all = listSegments(place);
  const names = from ? all.filter((name) => !isOlder(name, from.segment)) : all;
  return findChain(names, (segment) => readHead(place, segment), from);
}

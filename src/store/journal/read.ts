import { lookSafely, reading } from '../../files/index.ts';
import type { Problem } from '../problem.ts';
import { type Chain, findChain } from './chain.ts';
import { type Head, type JournalPlace, readHead, segmentOpened, segmentPath } from './head.ts';
import type { JournalEntry } from './line.ts';
import type { Position } from './position.ts';
import { readSegment } from './segment.ts';
import { isOlder, parseSegment, segmentsAmong } from './segment-name.ts';
import { examineStrays } from './strays.ts';

/** The content of a journal. */
export interface JournalReading {
  /** The recorded facts, without the lines that the store adds for itself. */
  readonly entries: readonly JournalEntry[];
  /** The end of what is accepted; undefined when there is nothing to continue from. */
  readonly end: Position | undefined;
  /** The highest epoch that any file name carries, 0 for none. */
  readonly epoch: number;
  /** How many segment files there are, usable or not. */
  readonly segments: number;
  readonly problems: readonly Problem[];
  /** What corruption cut off: everything after a place in one segment, and whole segments. */
  readonly cutOff: { readonly after?: Position; readonly segments: readonly string[] };
}

/** Reads all facts. */
export function readJournal(place: JournalPlace): JournalReading;
/** Reads facts after `from`; `off_chain` if the journal continued without what `from` includes. */
export function readJournal(place: JournalPlace, from: Position): JournalReading | 'off_chain';
/** Reads a journal, whole or from a position on. */
export function readJournal(place: JournalPlace, from?: Position): JournalReading | 'off_chain' {
  const all = listSegments(place);
  const names = from ? all.filter((name) => !isOlder(name, from.segment)) : all;
  const chain = findChain(names, (segment) => readHead(place, segment), from);
  if (chain === 'off_chain') return chain;
  const walk = readForward(place, chain, from);
  if (walk === 'off_chain') return walk;

  const strays = examineStrays(place, names, chain);
  return {
    entries: walk.entries,
    end: walk.end,
    epoch: parseSegment(all.at(-1) ?? '')?.epoch ?? 0,
    segments: all.length,
    problems: [...walk.problems, ...strays.problems],
    cutOff: { ...(walk.cutAfter && { after: walk.cutAfter }), segments: [...walk.unread, ...strays.lost] },
  };
}

/** The names of a journal's segments, oldest first; none when there is no journal. */
export function listSegments(place: JournalPlace): readonly string[] {
  const { files, folder } = place;
  if (lookSafely(files, folder, 'folder') === undefined) return [];
  return segmentsAmong(reading(folder, () => files.list(folder)));
}

interface Walk {
  readonly entries: readonly JournalEntry[];
  readonly end: Position | undefined;
  readonly problems: readonly Problem[];
  readonly cutAfter?: Position;
  /** Segments of the chain after the damage. */
  readonly unread: readonly string[];
}

function readForward(place: JournalPlace, chain: Chain, from?: Position): Walk | 'off_chain' {
  const entries: JournalEntry[] = [];
  const problems: Problem[] = [];
  let end = from;
  if (from && chain.heads.length === 0) problems.push(gone(place, from));
  for (const [index, head] of chain.heads.entries()) {
    const start = from?.segment === head.segment ? from : startOf(head);
    const result = readSegment(place, start, chain.heads[index + 1]?.previous ?? undefined);
    if (result === 'off_chain') return result;
    for (const entry of result.entries) if (entry.type !== segmentOpened) entries.push(entry);
    problems.push(...result.problems);
    end = result.end;
    if (result.isWhole) continue;
    const unread = chain.heads.slice(index + 1).map((later) => later.segment);
    return { entries, end, problems, unread, cutAfter: end };
  }
  return { entries, end, problems, unread: [] };
}

/** The beginning of a segment. */
export function startOf(head: Head): Position {
  return { segment: head.segment, bytes: 0, seq: head.previous?.seq ?? 0, crc: head.previous?.crc ?? 0 };
}

function gone(place: JournalPlace, from: Position): Problem {
  const file = segmentPath(place, from.segment);
  return { kind: 'journal_behind', file, message: `${file} is missing; the loop continues from state.json alone.` };
}

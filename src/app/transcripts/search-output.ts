import { LoopError } from '../../base/index.ts';
import type { AttemptKey } from '../../runner/index.ts';
import { attemptsAt, iterationsWithFiles } from '../adapters/attempt-output.ts';
import type { AppContext } from '../agent-programs.ts';
import { thisMachine } from '../machine.ts';
import { type Logs, openLogs } from '../read-logs.ts';
import { remoteLoopsAt } from '../remote-loops.ts';
import { type LoopPlace, openStore } from '../stores.ts';
import { type NumberedEntry, numberedEntries } from './numbered-entries.ts';

/** What to search for, and where to continue. */
export interface SearchRequest {
  /** Text, in any case. */
  readonly text: string;
  /** Only in this iteration. */
  readonly iteration?: number | undefined;
  /** What an earlier search returned as `next`. */
  readonly after?: SearchPlace | undefined;
  readonly limit: number;
}

/** A place in what agents wrote and did. */
export interface SearchPlace extends AttemptKey {
  readonly number: number;
}

/** A match with what stands around it. */
export interface SearchMatch extends SearchPlace {
  readonly type: NumberedEntry['type'];
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** Matches, newest iteration first, and where to search on. */
export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  readonly searched: { readonly iterations: number; readonly bytes: number };
  readonly next?: SearchPlace;
}

/** A search pauses after this, so that a request is answered. */
const patienceMs = 1_500;
const contextLength = 80;

/** Searches everything that the agents of a loop wrote and did, a part at a time. */
export async function searchOutput(
  place: LoopPlace,
  loopId: string,
  { context, request }: { readonly context: AppContext; readonly request: SearchRequest },
): Promise<SearchResult> {
  const { text, after, limit } = request;
  await remoteLoopsAt(place.root)?.fetchOutput(loopId, { follow: false });
  const logs = openLogs(place, loopId, context);
  const deadlineMs = thisMachine.clock.monotonicMs() + patienceMs;
  const wanted = text.toLowerCase();
  const matches: SearchMatch[] = [];
  const iterations = new Set<number>();
  let bytes = 0;
  for (const key of attemptsToSearch(place, loopId, request)) {
    const skipped = after !== undefined && isSame(key, after) ? after.number : 0;
    for await (const entry of entriesOf(logs, key)) {
      if (entry.number <= skipped) continue;
      const shown = textOf(entry);
      bytes += shown.length;
      const match = matchIn(shown, wanted);
      if (match !== undefined) matches.push({ ...key, number: entry.number, type: entry.type, ...match });
      if (matches.length < limit && thisMachine.clock.monotonicMs() < deadlineMs) continue;
      const searched = { iterations: iterations.add(key.iteration).size, bytes };
      return { matches, searched, next: { ...key, number: entry.number } };
    }
    iterations.add(key.iteration);
  }
  return { matches, searched: { iterations: iterations.size, bytes } };
}

function* attemptsToSearch(
  place: LoopPlace,
  loopId: string,
  { iteration, after }: SearchRequest,
): Generator<AttemptKey> {
  const folder = openStore(place).place(loopId);
  const all = iteration === undefined ? iterationsWithFiles(folder).toReversed() : [iteration];
  for (const each of all) {
    if (after !== undefined && each > after.iteration) continue;
    for (const attempt of attemptsAt(folder, each).toReversed()) {
      if (after !== undefined && each === after.iteration && attempt > after.attempt) continue;
      yield { iteration: each, attempt };
    }
  }
}

/** What was removed meanwhile is not searched. */
async function* entriesOf(logs: Logs, key: AttemptKey): AsyncGenerator<NumberedEntry> {
  try {
    yield* numberedEntries(logs.transcript({ ...key, stream: 'stdout', follow: false }));
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
  }
}

function textOf(entry: NumberedEntry): string {
  switch (entry.type) {
    case 'text':
      return entry.text;
    case 'tool_use':
    case 'tool_result':
      return `${entry.name} ${entry.detail ?? ''}`;
    case 'permission_denied':
      return entry.tool;
    case 'retry':
      return entry.why;
    case 'error':
      return entry.message;
  }
}

function matchIn(text: string, wanted: string): Pick<SearchMatch, 'before' | 'match' | 'after'> | undefined {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0) return undefined;
  const end = at + wanted.length;
  return {
    before: text.slice(Math.max(0, at - contextLength), at),
    match: text.slice(at, end),
    after: text.slice(end, end + contextLength),
  };
}

function isSame(one: AttemptKey, other: AttemptKey): boolean {
  return one.iteration === other.iteration && one.attempt === other.attempt;
}

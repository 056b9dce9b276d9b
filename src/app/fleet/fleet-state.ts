import { failures, LoopError } from '../../base/index.ts';
import type { Claim, Fleet, FleetLoop, StoredLine } from '../../fleet/index.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import type { StoredLoop } from '../../runner/index.ts';
import { type JournalEntry, parseState } from '../../store/index.ts';
import { foldState, typedFact } from '../adapters/fold-state.ts';

/** How many lines are read at once. */
export const linesAtOnce = 500;

/** How long a reader waits for a database that does not answer. */
export const readerPatienceMs = 10_000;

/** A loop as its journal in the database says. */
export async function readFleetLoop(fleet: Fleet, loopId: string, signal?: AbortSignal): Promise<StoredLoop> {
  const patience = { patienceMs: readerPatienceMs, signal };
  const found = await fleet.lookAt(loopId, patience);
  if (found === undefined) throw notFound(fleet, loopId);
  const entries: JournalEntry[] = [];
  for await (const { line } of linesAfter(fleet, loopId, found.snapshotSeq)) {
    if (!isHead(line)) entries.push(entryOf(line));
  }
  const snapshot = found.snapshot === null ? undefined : parseState(Buffer.from(found.snapshot));
  const loop = foldState({ loopId, entries, ...(snapshot && { snapshot }) });
  return { loopId, loop, ...ownerOf(found), problems: [] };
}

/** The refusal of a loop that the fleet does not have. */
export function notFound({ address }: Fleet, loopId: string): LoopError {
  return new LoopError(failures.loopNotFound(loopId, address.place));
}

/** The lines of a loop after a number, as far as there are any now. */
export async function* linesAfter(fleet: Fleet, loopId: string, afterSeq: number): AsyncGenerator<StoredLine> {
  for (let last = afterSeq; ; ) {
    const lines = await fleet.facts(loopId, last, linesAtOnce, { patienceMs: readerPatienceMs });
    yield* lines;
    last = lines.at(-1)?.seq ?? last;
    if (lines.length < linesAtOnce) return;
  }
}

const firstLines = 20;

/** Whether a loop has a fact. One whose owner died as it began has nothing but the heads of segments. */
export async function hasStarted(fleet: Fleet, { loop, seq }: Pick<Claim, 'loop' | 'seq'>): Promise<boolean> {
  if (seq === 0 || seq > firstLines) return seq > 0;
  // However long the database is away: a loop is not set aside for that.
  const lines = await fleet.facts(loop, 0, firstLines);
  return lines.length < seq || lines.some(({ line }) => !isHead(line));
}

/** Whether a line opens a segment of the journal: it is of the store, and no part of the loop. */
export function isHead(line: string): boolean {
  return entryOf(line).type === 'segment.opened';
}

/** A line of a journal as a fact. */
export function factOf(loopId: string, line: string): RecordedFact {
  return typedFact(loopId, entryOf(line));
}

/** Its checksum was checked by whoever wrote it, and is checked again by whoever continues the journal. */
function entryOf(line: string): JournalEntry {
  const { seq, at, epoch, type, data } = JSON.parse(line) as JournalEntry;
  return { seq, at, epoch, type, data };
}

function ownerOf({ owner }: FleetLoop): Pick<StoredLoop, 'owner'> {
  if (owner === null) return {};
  const { worker: _worker, ...identity } = owner;
  return { owner: identity };
}

import { failures, LoopError } from '../../base/index.ts';
import type { Stream } from '../../process/index.ts';
import type { AttemptKey } from '../../runner/index.ts';
import { attemptsAt } from '../adapters/attempt-output.ts';
import type { AppContext } from '../agent-programs.ts';
import { openLogs } from '../read-logs.ts';
import { findLoop } from '../read-loops.ts';
import { remoteLoopsAt } from '../remote-loops.ts';
import { type LoopPlace, openStore } from '../stores.ts';
import { type NumberedEntry, numberedEntries } from './numbered-entries.ts';

/** Which part of a transcript to read. */
export interface TranscriptRequest {
  readonly iteration: number;
  /** Default: the newest with output. */
  readonly attempt?: number | undefined;
  readonly stream: Stream;
  /** The number of the first entry; without it, the newest entries. */
  readonly from?: number | undefined;
  readonly limit: number;
}

/** A part of what an agent wrote and did. */
export interface TranscriptPart extends AttemptKey {
  /** The attempts whose output is stored. */
  readonly attempts: readonly number[];
  readonly stream: Stream;
  readonly hasTools: boolean;
  readonly entries: readonly NumberedEntry[];
  /** The number of all entries; missing if not all were read. */
  readonly total?: number;
  /** The agent may still be writing. */
  readonly isOpen: boolean;
}

/** Reads a part of a transcript, in memory that does not depend on its length. */
export async function readTranscript(
  place: LoopPlace,
  loopId: string,
  { context, request }: { readonly context: AppContext; readonly request: TranscriptRequest },
): Promise<TranscriptPart> {
  const { iteration, stream, from, limit } = request;
  const { loop } = findLoop(place, loopId);
  await remoteLoopsAt(place.root)?.fetchOutput(loopId, { follow: false });
  const attempts = attemptsAt(openStore(place).place(loopId), iteration);
  const attempt = request.attempt ?? attempts.at(-1);
  if (attempt === undefined || !attempts.includes(attempt))
    throw new LoopError(failures.outputMissing(loopId, `iteration ${iteration}`));
  const logs = openLogs(place, loopId, context);
  const log = { iteration, attempt, stream, follow: false };
  const numbered = numberedEntries(stream === 'stdout' ? logs.transcript(log) : logs.text(log));
  const { current } = loop.position;
  const isOpen = current?.stage === 'executing' && current.iteration === iteration && current.attempt === attempt;
  const part = from === undefined ? await newest(numbered, limit) : await partFrom(numbered, { from, limit });
  return { iteration, attempt, attempts, stream, hasTools: logs.hasTools, isOpen, ...part };
}

async function newest(numbered: AsyncIterable<NumberedEntry>, limit: number) {
  let kept: NumberedEntry[] = [];
  let total = 0;
  for await (const entry of numbered) {
    total = entry.number;
    kept.push(entry);
    if (kept.length >= 2 * limit) kept = kept.slice(-limit);
  }
  return { entries: kept.slice(-limit), total };
}

async function partFrom(
  numbered: AsyncIterable<NumberedEntry>,
  { from, limit }: { readonly from: number; readonly limit: number },
) {
  const entries: NumberedEntry[] = [];
  let total = 0;
  for await (const entry of numbered) {
    if (entries.length === limit) return { entries };
    total = entry.number;
    if (entry.number >= from) entries.push(entry);
  }
  return { entries, total };
}

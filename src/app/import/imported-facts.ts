import { boundText } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import type { ForeignLoop } from '../../formats/index.ts';
import type { Fact, FactData } from '../../protocol/index.ts';

/** The maximum size of the document in a fact, below that of a journal line. */
const maxDocumentBytes = 700_000;
const maxChecks = 20;
const maxOutput = 1_000;
const maxLearnings = 20;
const maxLearning = 4_000;
const maxFiles = 200;

/** What was read, and how it is identified. */
interface Imported {
  readonly loop: ForeignLoop;
  readonly digest: string;
}

/** The facts that follow the start of an imported loop: what it brings along, and its status. */
export function importedFacts({ loop, digest }: Imported, file: string): readonly Fact[] {
  return [{ type: 'loop.imported', data: importedData(loop, { digest, path: file }) }, ...statusFacts(loop)];
}

/** Whether the document fits into a fact, for an export that gives back all of it. */
export function isKeepable({ document }: ForeignLoop): boolean {
  return Buffer.byteLength(JSON.stringify(document)) <= maxDocumentBytes;
}

function importedData(
  loop: ForeignLoop,
  source: { readonly digest: string; readonly path: string },
): FactData<'loop.imported'> {
  const { from, id, status, iteration, finished, startedAt, endedAt, totals, checks, learnings, files, document } =
    loop;
  const { successful = 0, failed = 0, reboots = 0, durationMs = 0, tokens, costUsd } = totals;
  return {
    from,
    ...(id === undefined ? {} : { id }),
    ...source,
    status,
    iteration,
    finished,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
    totals: {
      successful,
      failed,
      reboots,
      durationMs,
      ...(tokens === undefined ? {} : { tokens }),
      ...(costUsd === undefined ? {} : { costUsd }),
    },
    checks: checks.slice(-maxChecks).map((check) => ({ ...check, output: boundText(check.output, maxOutput) })),
    learnings: learnings.slice(-maxLearnings).map((text) => boundText(text, maxLearning)),
    files: files.slice(-maxFiles),
    ...(isKeepable(loop) ? { document: { ...document } } : {}),
  };
}

function statusFacts({ becomes: status, status: word, from, reason, message }: ForeignLoop): readonly Fact[] {
  const elapsedMs = 0;
  const why = boundText(message ?? `imported from ${from}, where it was ${word}`, maxOutput);
  if (!isTerminal(status)) {
    return [{ type: 'loop.paused', data: { reason: 'user_pause', message: why, elapsedMs } }];
  }
  const completing: Fact = { type: 'loop.completing', data: { verified: false } };
  // Whatever the other system says, ralphd has verified nothing.
  const data = { status, reason: reason ?? 'user_abort', message: why, verified: false, elapsedMs } as const;
  return [...(status === 'completed' ? [completing] : []), { type: 'loop.ended', data }];
}

import type { FactData } from '../../protocol/index.ts';
import { edit } from '../state/edits.ts';
import { maxSummaries, maxTouchedFiles } from '../state/handover.ts';
import type { Loop } from '../state/loop.ts';
import { readSpent } from '../state/spent.ts';
import { maxCompletionChecks } from '../state/verification.ts';

/** The loop with what a document of another system recorded; its first prompt hands that over. */
export function takeOverImport(loop: Loop, data: FactData<'loop.imported'>): Loop {
  if (loop.position.iteration > 0) return loop;
  const { from, id, path, digest, iteration, finished, startedAt, endedAt, totals, checks, learnings, files } = data;
  const { successful, failed, reboots, durationMs, tokens, costUsd } = totals;
  const { stats } = loop.totals;
  const imported = {
    from,
    path,
    digest,
    ...(id === undefined ? {} : { id }),
    ...(endedAt === undefined ? {} : { endedAt }),
  };
  return edit(loop, {
    origin: { imported, ...(startedAt === undefined ? {} : { startedAt }) },
    position: { iteration, finished: Math.min(finished, iteration), attempt: iteration > finished ? 1 : 0 },
    totals: {
      stats: {
        ...stats,
        iterations: finished,
        successfulIterations: Math.min(successful, finished),
        failedIterations: Math.min(failed, finished),
        reboots,
        totalExecutionMs: durationMs,
      },
      spent: readSpent({
        runs: finished,
        ...(tokens === undefined ? {} : { tokens, unreportedTokens: 0 }),
        ...(costUsd === undefined ? {} : { costUsd, unreportedCost: 0 }),
      }),
      runningMs: durationMs,
    },
    progress: { lastIteration: successful > 0 ? finished : 0 },
    verification: { completionChecks: checks.slice(-maxCompletionChecks) },
    handover: {
      summaries: learnings.slice(-maxSummaries).map((text) => ({ iteration: finished, text })),
      touchedFiles: files.slice(-maxTouchedFiles),
    },
    session: { handOff: true },
  });
}

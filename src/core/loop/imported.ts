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
  // Other systems may count further ahead than one iteration that is under way.
  const latest = Math.min(iteration, finished + 1);
  const done = Math.min(finished, iteration);
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
    position: { iteration: latest, finished: done, attempt: latest > done ? 1 : 0 },
    totals: {
      stats: {
        ...stats,
        iterations: done,
        successfulIterations: Math.min(successful, done),
        failedIterations: Math.min(failed, done),
        reboots,
        totalExecutionMs: durationMs,
      },
      spent: readSpent({
        runs: done,
        ...(tokens === undefined ? {} : { tokens, unreportedTokens: 0 }),
        ...(costUsd === undefined ? {} : { costUsd, unreportedCost: 0 }),
      }),
      runningMs: loop.totals.runningMs + durationMs,
    },
    progress: { lastIteration: successful > 0 ? done : 0 },
    verification: { completionChecks: checks.slice(-maxCompletionChecks) },
    handover: {
      summaries: learnings.slice(-maxSummaries).map((text) => ({ iteration: done, text })),
      touchedFiles: files.slice(-maxTouchedFiles),
    },
    session: { handOff: true },
  });
}

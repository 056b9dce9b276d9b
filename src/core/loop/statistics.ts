import type { Status, StopReason } from '../../protocol/index.ts';
import { addSpent, nothingSpent, type Spent } from '../state/spent.ts';
import type { Totals } from '../state/totals.ts';
import { addFailures, type FailureCount } from './failure-tally.ts';
import { isTerminal } from './status.ts';

/** What the statistics need of one loop. */
export interface LoopFigures {
  readonly status: Status | 'idle';
  readonly reason?: StopReason;
  readonly verified: boolean;
  readonly totals: Totals;
  readonly failures: readonly FailureCount[];
}

/** Totals and averages over loops. `null` stands for what cannot be known, never for 0. */
export interface Statistics {
  readonly loops: {
    readonly total: number;
    readonly byStatus: Readonly<Record<string, number>>;
    /** Why loops ended or paused. */
    readonly byReason: Readonly<Record<string, number>>;
    readonly verified: number;
    /** The share of completed loops among those that ended. */
    readonly successRate: number | null;
  };
  readonly iterations: {
    readonly total: number;
    /** Those that made progress. */
    readonly successful: number;
    readonly failed: number;
    readonly timedOut: number;
    readonly skipped: number;
    readonly successRate: number | null;
    readonly averageMs: number | null;
  };
  /** How long the loops ran, and how long their agents did. */
  readonly time: { readonly runningMs: number; readonly executionMs: number };
  readonly spent: Spent;
  /** The average over the completed loops whose cost is known whole, and how many are left out of it. */
  readonly costPerCompletedLoop: {
    readonly usd: number | null;
    readonly loops: number;
    readonly unknown: number;
  };
  readonly failures: readonly FailureCount[];
}

/** Adds up loops. */
export function statisticsOf(loops: readonly LoopFigures[]): Statistics {
  const ended = loops.filter(({ status }) => isTerminal(status));
  const completed = loops.filter(({ status }) => status === 'completed');
  const sum = (pick: (totals: Totals) => number) => loops.reduce((total, loop) => total + pick(loop.totals), 0);
  const iterations = sum(({ stats }) => stats.iterations);
  const successful = sum(({ stats }) => stats.successfulIterations);
  const executionMs = sum(({ stats }) => stats.totalExecutionMs);
  return {
    loops: {
      total: loops.length,
      byStatus: countBy(loops.map(({ status }) => status)),
      byReason: countBy(loops.flatMap(({ reason }) => reason ?? [])),
      verified: loops.filter(({ verified }) => verified).length,
      successRate: share(completed.length, ended.length),
    },
    iterations: {
      total: iterations,
      successful,
      failed: sum(({ stats }) => stats.failedIterations),
      timedOut: sum(({ stats }) => stats.timedOutIterations),
      skipped: sum(({ stats }) => stats.skippedIterations),
      successRate: share(successful, iterations),
      averageMs: share(executionMs, iterations),
    },
    time: { runningMs: sum(({ runningMs }) => runningMs), executionMs },
    spent: loops.reduce((spent, { totals }) => addSpent(spent, totals.spent), nothingSpent),
    costPerCompletedLoop: costPerLoop(completed),
    failures: addFailures(loops.flatMap(({ failures }) => failures)),
  };
}

function costPerLoop(completed: readonly LoopFigures[]): Statistics['costPerCompletedLoop'] {
  const known = completed.filter(({ totals: { spent } }) => spent.runs > 0 && spent.unreportedCost === 0);
  const usd = known.reduce((sum, { totals }) => sum + totals.spent.costUsd, 0);
  return { usd: share(usd, known.length), loops: known.length, unknown: completed.length - known.length };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function countBy(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

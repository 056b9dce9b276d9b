/** Counters of a loop; all of them are folds over its facts. */
export interface LoopStats {
  /** Finished iterations that count. */
  readonly iterations: number;
  /** Those that made progress. */
  readonly successfulIterations: number;
  /** Those that failed or timed out. */
  readonly failedIterations: number;
  /** Those that were ended because they took too long. */
  readonly timedOutIterations: number;
  /** Those that were skipped by command. */
  readonly skippedIterations: number;
  /** How often the agent got a fresh session because the last one was full or too old. */
  readonly reboots: number;
  /** Time the agent itself ran. */
  readonly totalExecutionMs: number;
  /** Iterations in a row whose failing tests did not get fewer. */
  readonly testFailureStreak: number;
  /** Iterations in a row without progress. */
  readonly noProgressCount: number;
  /** Failed iterations in a row. */
  readonly iterationFailureStreak: number;
  /** Files that were modified, summed over iterations. */
  readonly filesModified: number;
  /** Files that were created, summed over iterations. */
  readonly filesCreated: number;
  /** Files that were deleted, summed over iterations. */
  readonly filesDeleted: number;
  /** Tests that ran, summed over iterations. */
  readonly testsRun: number;
  /** Tests that passed, summed over iterations. */
  readonly testsPassed: number;
  /** Tests that failed, summed over iterations. */
  readonly testsFailed: number;
}

/** A serialisable copy of the counters. */
export type LoopStatsSnapshot = LoopStats;

/** The counters of a loop that has done nothing yet. */
export const emptyStats: LoopStats = {
  iterations: 0,
  successfulIterations: 0,
  failedIterations: 0,
  timedOutIterations: 0,
  skippedIterations: 0,
  reboots: 0,
  totalExecutionMs: 0,
  testFailureStreak: 0,
  noProgressCount: 0,
  iterationFailureStreak: 0,
  filesModified: 0,
  filesCreated: 0,
  filesDeleted: 0,
  testsRun: 0,
  testsPassed: 0,
  testsFailed: 0,
};

/** The result of an iteration that counts. */
export interface CountedIteration {
  readonly status: 'completed' | 'failed' | 'timed_out' | 'skipped';
  /** `null` when unknown: then it counts neither as success nor towards "no progress". */
  readonly madeProgress: boolean | null;
}

/** Counts one iteration. The streak of iteration failures and that of test failures are separate things. */
export function countIteration(stats: LoopStats, { status, madeProgress }: CountedIteration): LoopStats {
  if (status === 'skipped') {
    return { ...stats, iterations: stats.iterations + 1, skippedIterations: stats.skippedIterations + 1 };
  }
  const failed = status !== 'completed';
  return {
    ...stats,
    iterations: stats.iterations + 1,
    successfulIterations: stats.successfulIterations + (!failed && madeProgress === true ? 1 : 0),
    failedIterations: stats.failedIterations + (failed ? 1 : 0),
    timedOutIterations: stats.timedOutIterations + (status === 'timed_out' ? 1 : 0),
    iterationFailureStreak: failed ? stats.iterationFailureStreak + 1 : 0,
    noProgressCount: nextNoProgress(stats.noProgressCount, madeProgress),
  };
}

function nextNoProgress(streak: number, madeProgress: boolean | null): number {
  if (madeProgress === null) return streak;
  return madeProgress ? 0 : streak + 1;
}

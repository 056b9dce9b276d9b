import type { ConditionResult, TestCounts } from '../../../protocol/index.ts';
import type { ShownLoop } from '../../loop/loop.ts';

/** What conditions are held against. */
export interface Evidence {
  /** Iterations that are over; for an attempt under way, as if it were over. */
  readonly iterations: number;
  readonly runningMs: number;
  readonly testFailureStreak: number;
  readonly noProgress: number;
  /** What ralphd's own run of the tests said in the latest iteration; missing when they were not run. */
  readonly tests: TestCounts | undefined;
  /** Why the latest iteration failed. */
  readonly error: string | undefined;
  /** Places of the conditions that this error meets. */
  readonly errorMatches: readonly string[];
  /** Places of the conditions on what the agent says that its latest run met. */
  readonly outputMatches: readonly string[];
  readonly observed: readonly ConditionResult[];
}

/** What is known between two iterations. */
export function evidenceAt(loop: ShownLoop): Evidence {
  const { finished, runningMs, stats, gate, lastFailure, outputMatches = [], observed = [] } = loop;
  return {
    iterations: finished,
    runningMs,
    testFailureStreak: stats.testFailureStreak,
    noProgress: stats.noProgressCount,
    tests: gate !== undefined && gate.iteration >= finished ? gate.result.tests : undefined,
    error: lastFailure?.message,
    errorMatches: lastFailure?.matches ?? [],
    outputMatches,
    observed,
  };
}

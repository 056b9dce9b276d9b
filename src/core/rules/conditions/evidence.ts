import type { ConditionResult, TestCounts } from '../../../protocol/index.ts';
import type { Loop } from '../../state/loop.ts';

/** What conditions are evaluated against. */
export interface Evidence {
  /** Finished iterations; an attempt under way counts as finished. */
  readonly iterations: number;
  readonly runningMs: number;
  readonly testFailureStreak: number;
  readonly noProgress: number;
  /** Test counts from ralphd's own run in the latest iteration; missing when they were not run. */
  readonly tests: TestCounts | undefined;
  /** Why the latest iteration failed. */
  readonly error: string | undefined;
  /** Places of the conditions that this error meets. */
  readonly errorMatches: readonly string[];
  /** Places of the output conditions that the agent's latest run met. */
  readonly outputMatches: readonly string[];
  readonly observed: readonly ConditionResult[];
}

/** The evidence between two iterations. */
export function evidenceAt(loop: Loop): Evidence {
  const {
    position: { finished },
    totals: { runningMs, stats },
    verification: { latest: gate },
    signals: { lastFailure, outputMatches = [], observed = [] },
  } = loop;
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

import type { Loop } from '../state/loop.ts';
import type { RememberedTest } from '../state/tests.ts';
import { testId } from './test-id.ts';
import { isFlaky, recentlyBroken, recentlyFixed, streakOf, totalsOf } from './test-memory.ts';

/** Everything known about a test that has failed at least once. */
export interface TestRecord {
  /** The same in every run: without colours, times and addresses. */
  readonly id: string;
  readonly name: string;
  readonly file?: string;
  /** `unknown` if the newest run did not report the test. */
  readonly status: 'passed' | 'failed' | 'unknown';
  readonly passStreak: number;
  readonly failStreak: number;
  readonly passes: number;
  readonly failures: number;
  readonly flaky: boolean;
  readonly lastError?: string;
  /** The newest twenty, newest last: `p` passed, `f` failed. */
  readonly results: string;
}

/** A summary of the tests of a loop. */
export interface TestSummary {
  readonly framework: string;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Changes in a row that made no failing test pass. */
  readonly failureStreak: number;
  /** Names of tests that pass since the newest run. */
  readonly fixed: readonly string[];
  /** Names of tests that fail since the newest run. */
  readonly broken: readonly string[];
  readonly flaky: readonly string[];
  /** Tests that failed three times in a row or more. */
  readonly stubborn: readonly TestRecord[];
}

const minStubborn = 3;

/** The newest run of the tests, compared with the runs before; undefined if no tests were counted. */
export function summariseTests({
  tests: { latest: tests, memory: testMemory },
  totals: { stats },
}: Pick<Loop, 'tests' | 'totals'>): TestSummary | undefined {
  if (tests === undefined) return undefined;
  const { framework, total, passed, failed, skipped } = tests;
  const records = testMemory.map(recordOf);
  return {
    framework,
    total,
    passed,
    failed,
    skipped,
    failureStreak: stats.testFailureStreak,
    fixed: recentlyFixed(testMemory),
    broken: recentlyBroken(testMemory),
    flaky: records.filter(({ flaky }) => flaky).map(({ name }) => name),
    stubborn: records
      .filter(({ status, failStreak, flaky }) => status === 'failed' && failStreak >= minStubborn && !flaky)
      .toSorted((one, other) => other.failStreak - one.failStreak),
  };
}

/** Every test that has failed at least once, failing ones first. */
export function trackedTests(memory: readonly RememberedTest[]): readonly TestRecord[] {
  return memory.map(recordOf).toReversed();
}

function recordOf(test: RememberedTest): TestRecord {
  const { name, file, error, results, untold } = test;
  const { result, length } = streakOf(test);
  return {
    id: testId(test),
    name,
    ...(file === undefined ? {} : { file }),
    status: untold === true ? 'unknown' : result,
    passStreak: result === 'passed' ? length : 0,
    failStreak: result === 'failed' ? length : 0,
    ...totalsOf(test),
    flaky: isFlaky(test),
    ...(error === undefined ? {} : { lastError: error }),
    results,
  };
}

import type { TestRecord, TestSummary } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';
import type { RememberedTest } from '../state/tests.ts';
import { testId } from './test-id.ts';
import { isFlaky, recentlyBroken, recentlyFixed, streakOf, totalsOf } from './test-memory.ts';

const maxErrorLength = 120;
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

/** A test that keeps failing, with the first line of its last error. */
export function describeStubborn({ name, failStreak, lastError = '' }: TestRecord): string {
  const [line = ''] = lastError.trim().split('\n', 1);
  const error = line.length <= maxErrorLength ? line : `${line.slice(0, maxErrorLength - 1)}…`;
  return `failed ${failStreak} times in a row: ${name}${error === '' ? '' : ` (${error})`}`;
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

import type { TestCounts } from '../../protocol/index.ts';
import { missingNames, plainName } from './test-id.ts';

/** Two runs of the tests, one after the other, and which tests are flaky. */
export interface TestRuns {
  readonly before: TestCounts | undefined;
  readonly after: TestCounts | undefined;
  readonly flaky: readonly string[];
}

/** What improved between two runs of the tests. */
export interface TestGain {
  /** Tests that failed and pass now. One that is gone or skipped is not fixed, and a flaky one proves nothing. */
  readonly fixed: number;
  /** How many fewer tests fail. */
  readonly fewer: number;
  /** How many more tests there are. */
  readonly added: number;
}

/** Compares two runs that ralphd made itself; a run of no tests proves nothing. */
export function compareTests({ before, after, flaky }: TestRuns): TestGain {
  if (before === undefined || after === undefined || after.total === 0) return { fixed: 0, fewer: 0, added: 0 };
  const fewer = Math.max(0, before.failed - after.failed);
  return { fixed: fixedTests(before, after, flaky), fewer, added: Math.max(0, after.total - before.total) };
}

function fixedTests(before: TestCounts, after: TestCounts, flaky: readonly string[]): number {
  const passedMore = Math.max(0, after.passed - before.passed);
  // Not all names are known: only the counts can be compared.
  if (before.failing.length < before.failed || after.failing.length < after.failed) {
    return Math.min(Math.max(0, before.failed - after.failed), passedMore);
  }
  const unreliable = new Set(flaky.map(plainName));
  const gone = missingNames(before.failing, after.failing);
  const reliable = gone.filter((name) => !unreliable.has(name));
  const passing = new Set(after.passing?.map(plainName));
  return Math.max(reliable.filter((name) => passing.has(name)).length, Math.min(reliable.length, passedMore));
}

import type { TestReport } from './test-report.ts';

/** How many tests passed and failed, which were skipped, and which passed only on retry. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
  /** Tests that passed only on retry: there is a race in them or in what they test. */
  readonly unsteady: readonly string[];
}

/** Counts the tests of vitest's own report. */
export function countTests(report: TestReport): TestCounts {
  const tests = report.testResults.flatMap((suite) => suite.assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failed = tests.filter(({ status }) => status === 'failed').length;
  const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
  // A file that cannot be loaded has no failed test, but is still a failure.
  const unloadable = report.testResults.filter(
    (suite) => suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const unsteady = tests.filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0);
  return {
    passed,
    failed: failed + unloadable,
    skipped: skipped.map(({ fullName }) => fullName.trim()),
    unsteady: unsteady.map(({ fullName, failureMessages: [why = ''] }) => `${fullName.trim()}\n${why}`),
  };
}

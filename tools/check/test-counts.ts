import { readFile } from 'node:fs/promises';

interface TestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** How many tests passed and failed, which were skipped, and which failed at first. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
  /** Tests that passed only when they were tried again: a race in them or in what they test. */
  readonly unsteady: readonly string[];
}

/** What vitest's own report says; nothing when the tests never ran. */
export async function countTests(file: string): Promise<TestCounts | undefined> {
  let report: TestReport;
  try {
    report = JSON.parse(await readFile(file, 'utf8')) as TestReport;
  } catch {
    return undefined;
  }
  const tests = report.testResults.flatMap((suite) => suite.assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failed = tests.filter(({ status }) => status === 'failed').length;
  const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
  // A file that could not be loaded holds no test that failed, and is a failure all the same.
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

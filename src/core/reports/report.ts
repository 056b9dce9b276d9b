/** The result of a test; an error is a failure outside of its assertions, such as a file that cannot be loaded. */
export type TestStatus = 'passed' | 'failed' | 'skipped' | 'error';

/** One test of a report. */
export interface TestDetail {
  readonly name: string;
  readonly status: TestStatus;
  /** The file of the test, if the report names it. */
  readonly file?: string;
  readonly durationMs?: number;
  readonly error?: string;
}

/** The number of tests for each result. Errors count as failed; to-dos and expected failures count as skipped. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What a test runner reported. `total` is always the sum of the three counts. */
export interface TestReport extends Counts {
  readonly framework: string;
  readonly total: number;
  /** The tests that the report names: failing ones before others where there is no room for all. */
  readonly details: readonly TestDetail[];
}

/** Whether no test failed. A report without any tests is evidence neither for the work nor against it. */
export function allTestsPassed({ failed }: Pick<TestReport, 'failed'>): boolean {
  return failed === 0;
}

/** The names of the tests that failed, as far as the report gives them. */
export function failingTests({ details }: Pick<TestReport, 'details'>): readonly string[] {
  return details.filter(({ status }) => status === 'failed' || status === 'error').map(({ name }) => name);
}

import { readFile } from 'node:fs/promises';

interface TestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** How many tests passed, failed and were skipped, by vitest's own report; nothing when the tests never ran. */
export async function countTests(
  file: string,
): Promise<{ passed: number; failed: number; skipped: number } | undefined> {
  let report: TestReport;
  try {
    report = JSON.parse(await readFile(file, 'utf8')) as TestReport;
  } catch {
    return undefined;
  }
  const tests = report.testResults.flatMap((suite) => suite.assertionResults.map((test) => test.status));
  const passed = tests.filter((status) => status === 'passed').length;
  const failed = tests.filter((status) => status === 'failed').length;
  // A file that could not be loaded holds no test that failed, and is a failure all the same.
  const unloadable = report.testResults.filter(
    (suite) => suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  return { passed, failed: failed + unloadable, skipped: tests.length - passed - failed };
}

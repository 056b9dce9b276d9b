import { boundText } from '../base/index.ts';
import type { TestReport } from '../core/index.ts';
import type { TestCounts } from '../protocol/index.ts';
import { realFolder } from '../workspace/index.ts';

type Detail = TestReport['details'][number];

// Facts are kept forever, and every snapshot contains the test memory of the loop.
const maxFailing = 500;
const maxPassing = 200;
const maxErrors = 50;
const maxErrorLength = 400;

/** The test counts of a gate, from all reports that its checks printed. */
export function countTests(reports: readonly TestReport[], folder: string): TestCounts {
  const sumOf = (count: 'total' | 'passed' | 'failed' | 'skipped') =>
    reports.reduce((sum, report) => sum + report[count], 0);
  const relative = relativeTo(folder);
  const details = reports.flatMap((report) => report.details).map((detail) => withRelativeNames(detail, relative));
  const failing = details.filter(({ status }) => status === 'failed' || status === 'error').slice(0, maxFailing);
  const passing = details.filter(({ status }) => status === 'passed').slice(0, maxPassing);
  const failures = failing.map(describe).filter((failure) => 'file' in failure || 'error' in failure);
  return {
    framework: [...new Set(reports.map(({ framework }) => framework))].join(', '),
    total: sumOf('total'),
    passed: sumOf('passed'),
    failed: sumOf('failed'),
    skipped: sumOf('skipped'),
    failing: failing.map(({ name }) => name),
    passing: passing.map(({ name }) => name),
    ...(failures.length === 0 ? {} : { failures }),
  };
}

function describe({ name, file, error }: Detail, index: number): NonNullable<TestCounts['failures']>[number] {
  return {
    name,
    ...(file === undefined ? {} : { file }),
    ...(error === undefined || index >= maxErrors ? {} : { error: boundText(error, maxErrorLength) }),
  };
}

function withRelativeNames({ name, file, ...rest }: Detail, relative: (text: string) => string): Detail {
  return { ...rest, name: relative(name), ...(file === undefined ? {} : { file: relative(file) }) };
}

/** Removes the folder from names: a clean checkout has a different one each time. */
function relativeTo(folder: string): (text: string) => string {
  const places = [...new Set([`${folder}/`, `${realFolder(folder)}/`])];
  return (text) => places.reduce((rest, place) => rest.replaceAll(place, ''), text);
}

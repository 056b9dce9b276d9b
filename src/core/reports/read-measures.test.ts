import fc from 'fast-check';
import { expect, test } from 'vitest';
import { configSchema, type LoopConfigInput } from '../../protocol/index.ts';
import { readMeasures, readMetrics } from './read-measures.ts';

type MetricInput = NonNullable<NonNullable<LoopConfigInput['progress']>['metrics']>[number];

function metric(...metrics: readonly MetricInput[]) {
  return configSchema.parse({ progress: { metrics: [...metrics] } }).progress.metrics;
}

function known(output: string) {
  return readMeasures(output, { check: 'npm run check', known: true, metrics: [] });
}

test.each([
  ['eslint', '✖ 12 problems (10 errors, 2 warnings)', 12],
  ['eslint', '\u001b[31m\u001b[1m✖ 1 problem (1 error, 0 warnings)\u001b[22m\u001b[39m', 1],
  ['ruff', 'Found 12 errors.', 12],
  ['ruff', 'Found 12 errors (9 fixed, 3 remaining).', 3],
  ['ruff', 'All checks passed!', 0],
  ['biome', 'Found 4 warnings.', 4],
  ['oxlint', 'Found 2 warnings and 1 error.', 3],
  ['mypy', 'Found 3 errors in 2 files (checked 10 source files)', 3],
  ['mypy', 'Success: no issues found in 10 source files', 0],
  ['pyright', '5 errors, 1 warning, 0 informations ', 6],
  ['tsc', 'Found 2 errors in 2 files.', 2],
  ['tsc', 'Found 1 error in src/a.ts:3', 1],
  ['golangci-lint', '7 issues:', 7],
  ['golangci-lint', '0 issues.', 0],
  ['rubocop', '10 files inspected, 3 offenses detected, 2 offenses autocorrectable', 3],
  ['rubocop', '10 files inspected, no offenses detected', 0],
  ['phpstan', ' [ERROR] Found 3 errors', 3],
  ['phpstan', ' [OK] No errors', 0],
  ['phpcs', 'A TOTAL OF 5 ERRORS AND 2 WARNINGS WERE FOUND IN 3 FILES', 7],
  ['swiftlint', 'Done linting! Found 4 violations, 1 serious in 12 files.', 4],
  ['markdownlint', 'Summary: 3 error(s)', 3],
])('B049: the problems that %s counts are read: %s', (name, line, value) => {
  expect(known(`src/a.js\n  1:1  error\n\n${line}\n`)).toEqual([{ of: 'lint', name, check: 'npm run check', value }]);
});

test.each([
  ['istanbul', 'All files          |   85.71 |    66.67 |     100 |   84.5 |                   ', 84.5],
  ['istanbul', 'Lines        : 85.71% ( 6/7 )', 85.71],
  ['bun', 'All files |  100.00 |   85.71 |', 85.71],
  ['node:test', '# all files     |  85.71 |    66.67 |  100.00 | ', 85.71],
  ['coverage.py', 'TOTAL                20      4    80%', 80],
  ['coverage.py', 'TOTAL                20      4      6      2  76.92%', 76.92],
  ['llvm-cov', 'TOTAL   30  3  90.00%   5  0  100.00%   40  10  75.00%   0  0  -', 75],
  ['go', 'total:\t\t\t(statements)\t\t80.0%', 80],
  ['go example.com/calc', 'ok  \texample.com/calc\t0.003s\tcoverage: 80.0% of statements', 80],
  ['tarpaulin', '85.71% coverage, 6/7 lines covered, +1.20% change in coverage', 85.71],
  ['simplecov', 'Line Coverage: 85.71% (6 / 7)', 85.71],
  ['simplecov', 'Coverage report generated for RSpec to /x/coverage. 6 / 7 LOC (85.71%) covered.', 85.71],
  ['phpunit', '  Lines:   85.71% (6/7)', 85.71],
  ['coverlet', '| Total   | 85.71% | 66.67% | 100%   |', 85.71],
])('B049: the coverage that %s sums up is read: %s', (name, line, value) => {
  expect(known(`ok\n${line}\n`)).toEqual([{ of: 'coverage', name, check: 'npm run check', value }]);
});

test.each([
  ['a sentence', 'There were 12 problems (10 errors), and Found 3 errors. Then coverage: 80%'],
  ['a file of the table', 'calc.js             |   85.71 |    66.67 |     100 |   85.71 | 3'],
  ['more than all', 'TOTAL   20   4   180%'],
  ['a long line', `✖ 12 problems (10 errors, 2 warnings)${' '.repeat(2_000)}x`],
])('B049: %s is not a measure', (_what, line) => {
  expect(known(line)).toEqual([]);
});

test('B049: problems of several packages are added up; coverage with two different totals is ignored', () => {
  const eslint = '✖ 3 problems (3 errors, 0 warnings)\n';
  expect(known(eslint.repeat(2))).toMatchObject([{ name: 'eslint', value: 6 }]);
  const table = (lines: number) => `All files | 1 | 2 | 3 | ${lines} |\n`;
  expect(known(table(50) + table(60))).toEqual([]);
  expect(known(table(50) + table(50))).toMatchObject([{ value: 50 }]);
});

test('B052: a metric is the number in the first group of the last line that has one', () => {
  const metrics = metric({ name: 'score', pattern: 'score: (\\S+)' }, { name: 'size', pattern: '([0-9,]+) bytes' });
  const text = 'score: 1\nscore: 2.5\nscore: none\n12,345 bytes in all\n';
  expect(readMetrics(text, metrics)).toEqual([
    { of: 'metric', name: 'score', value: 2.5 },
    { of: 'metric', name: 'size', value: 12345 },
  ]);
});

test.each([
  ['-3', -3],
  ['+.5', 0.5],
  ['1e3', 1000],
  ['1_000', 1000],
  ['12,34', undefined],
  ['0x10', undefined],
  ['NaN', undefined],
  ['', undefined],
  ['9'.repeat(40), undefined],
])('B052: "%s" as the value of a metric is %s', (text, value) => {
  const [found] = readMetrics(`v=${text};`, metric({ name: 'v', pattern: 'v=([^;]*);' }));
  expect(found?.value).toBe(value);
});

test('B052: whatever a check prints, its measures are finite and bounded', () => {
  const lines = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom('Found 3 errors.', '7 issues:', 'TOTAL 1 1 50%', 'ok x/y 1s coverage: 3% of statements'),
    ),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(lines, (output) => {
      const found = known(output.join('\n'));
      expect(found.length).toBeLessThanOrEqual(20);
      expect(found.every(({ value }) => Number.isFinite(value) && value >= 0)).toBe(true);
    }),
  );
});

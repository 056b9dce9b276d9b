import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTestReportReader, readTestReport } from './read.ts';
import { allTestsPassed, failingTests } from './report.ts';

const jestSummary = 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\nSnapshots:   0 total\n';

test('A072: a report has total, passed, failed, skipped and details, and its total is their sum', () => {
  expect(readTestReport('TAP version 13\nok 1 - adds\nnot ok 2 - divides\nok 3 - later # SKIP\n1..3\n')).toEqual({
    framework: 'tap',
    total: 3,
    passed: 1,
    failed: 1,
    skipped: 1,
    details: [
      { name: 'adds', status: 'passed' },
      { name: 'divides', status: 'failed' },
      { name: 'later', status: 'skipped' },
    ],
  });
});

test('A072: all tests passed when none failed, also when none ran', () => {
  expect(allTestsPassed({ failed: 0 })).toBe(true);
  expect(allTestsPassed({ failed: 1 })).toBe(false);
});

test('A073: a detail has a name and a status, and where they are known the duration and the error', () => {
  const xml = `<testsuite name="calc"><testcase name="adds" classname="calc" time="0.012"/>
    <testcase name="divides" classname="calc" time="0.5"><error message="a &lt; b&#10;and 7 passed">5 passed</error></testcase>
  </testsuite>`;
  expect(readTestReport(xml)?.details).toEqual([
    { name: 'calc > adds', status: 'passed', durationMs: 12 },
    { name: 'calc > divides', status: 'error', durationMs: 500, error: 'a < b\nand 7 passed' },
  ]);
});

test.each([
  ['cargo', 'test result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.01s', 4, 1],
  ['jest', 'Tests:       1 failed, 3 passed, 4 total', 3, 1],
  ['pytest', '2 failed, 5 passed in 0.12s', 5, 2],
  ['pytest', '=========== 5 passed in 0.12s ===========', 5, 0],
])('A087: a summary of %s that is all there is, as after "tail -1", is read: %s', (framework, line, passed, failed) => {
  expect(readTestReport(`${line}\n`)).toMatchObject({ framework, passed, failed });
  expect(readTestReport(`\n${line}`)).toMatchObject({ framework, passed, failed });
});

test.each([
  ['nothing', ''],
  ['a build log', 'building…\n3 warnings generated\nDone in 4.2s\n'],
  ['a sentence about tests', 'All 5 tests passed, 0 failed. ok 1 of 3 done\n5 passed, 2 failed in 0.1s\n'],
  ['counts without a runner', 'Tests: 3 passed, 3 total\n3 passing\nok\nOK (3 tests, 3 assertions)\n'],
  [
    'the middle of a report',
    'test tests::adds ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n',
  ],
  ['a summary and another line', 'building\nTests: 3 passed, 3 total\n'],
  ['a range of numbers', 'choose one of\n1..10\nok\n'],
  ['JSON of another kind', '{"results":{"passed":3},"stats":{"tests":4},"summary_line":null}\n'],
  ['XML of another kind', '<project><testcase name="a"/></project>\n'],
])('A087: %s is not a report, and nothing is guessed', (_what, text) => {
  expect(readTestReport(text)).toBeUndefined();
});

test.each([
  [
    'cargo',
    'running 2 tests\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n',
    6,
  ],
  ['go', 'ok  \texample.com/a\t0.1s\nok  \texample.com/b\t(cached)\n', 6],
  [
    'jest',
    'Test Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\nSnapshots:   0 total\nRan all test suites.\n',
    6,
  ],
  ['vitest', ' RUN  v3.2.4 /project\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n', 6],
  ['surefire', '[INFO] Results:\n[INFO] \n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n', 6],
  ['pytest', '===== test session starts =====\n===== 2 passed in 0.1s =====\n', 6],
  ['unittest', `${'-'.repeat(70)}\nRan 2 tests in 0.001s\n\nOK\n`, 6],
  ['mocha', '\n\n  2 passing (4ms)\n\n', 6],
])('B047: the summaries of several %s runs are added up', (framework, text, passed) => {
  expect(readTestReport(text.repeat(3))).toMatchObject({ framework, total: passed, passed, failed: 0, skipped: 0 });
});

test('a report reads the same with the line ends of Windows, with colours, and in pieces of any size', () => {
  const plain = `FAIL a.test.js\n  ● calc › divides\n\n${jestSummary}`;
  const expected = readTestReport(plain);
  expect(expected).toMatchObject({ framework: 'jest', failed: 1, passed: 2 });
  expect(readTestReport(plain.replaceAll('\n', '\r\n'))).toEqual(expected);
  expect(readTestReport(plain.replaceAll(/(\w+)/g, '\u001b[1m\u001b[31m$1\u001b[39m\u001b[22m'))).toEqual(expected);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), (size) => {
      const reader = createTestReportReader();
      for (let from = 0; from < plain.length; from += size) reader.push(plain.slice(from, from + size));
      expect(reader.finish()).toEqual(expected);
    }),
  );
});

test('a TAP run that gives up has failed, and a test binary that names no package is counted anyway', () => {
  expect(readTestReport('TAP version 13\n1..3\nok 1 - adds\nBail out! no database\n')).toMatchObject({
    passed: 1,
    failed: 1,
    details: [{ name: 'adds' }, { name: 'Bail out! no database', status: 'error' }],
  });
  expect(readTestReport('=== RUN   TestAdds\n--- PASS: TestAdds (0.25s)\nPASS\n')).toMatchObject({
    framework: 'go',
    details: [{ name: 'TestAdds', status: 'passed', durationMs: 250 }],
  });
});

test('a progress bar that never ends its line does not hide the report after it', () => {
  const bar = Array.from({ length: 20_000 }, (_, done) => `downloading ${done} of 20000`).join('\r');
  expect(readTestReport(`${bar}\r${jestSummary}`)).toMatchObject({ framework: 'jest', total: 3 });
});

test('the runner that reports last counts: another report in the output of its tests does not', () => {
  const inner = '===== test session starts =====\n===== 2 failed, 7 passed in 0.1s =====\n';
  expect(readTestReport(`${inner}${jestSummary}`)).toMatchObject({ framework: 'jest', total: 3 });
});

test('a run of the same runner inside the output of a failed test is not counted', () => {
  const summary = (passed: number, failed: number) =>
    `test result: FAILED. ${passed} passed; ${failed} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n`;
  const inner = `running 9 tests\n${summary(9, 0)}`;
  const text = `running 2 tests\n\nfailures:\n\n---- outer stdout ----\n${inner}\nfailures:\n    outer\n\n${summary(1, 1)}`;
  const report = readTestReport(text);
  expect(report).toMatchObject({ total: 2, passed: 1, failed: 1 });
  expect(report && failingTests(report)).toEqual(['outer']);
});

test('the list of names and every name and message are bounded; failing tests go before the others', () => {
  const points = Array.from(
    { length: 2_000 },
    (_, at) => `${at % 10 === 9 ? 'not ok' : 'ok'} ${at + 1} - ${'n'.repeat(600)}`,
  );
  const report = readTestReport(`TAP version 13\n1..2000\n${points.join('\n')}\n`);
  expect(report).toMatchObject({ total: 2_000, failed: 200 });
  expect(report?.details).toHaveLength(500);
  expect(report && failingTests(report)).toHaveLength(200);
  expect(Math.max(...(report?.details ?? []).map(({ name }) => name.length))).toBeLessThanOrEqual(300);
});

test.each([
  ['tasks of a monorepo', ['packages/a test: ', 'packages/b test: ']],
  ['tasks of another', ['web:test: ', 'api:test:unit: ']],
  ['services', ['web-1  | ', 'api-1  | ']],
])(
  'B047: interleaved outputs of %s are separated by their prefixes and added up',
  (_what, [first = '', second = '']) => {
    const lines = ['', ' RUN  v3.2.4 /project', '', ' Test Files  1 passed (1)', '      Tests  2 passed (2)', ''];
    const text = lines.flatMap((line) => [`${first}${line}`, `${second}${line}`]).join('\n');
    expect(readTestReport(text)).toMatchObject({ framework: 'vitest', total: 4, passed: 4 });
  },
);

test('time stamps before every line make no difference', () => {
  const stamped = jestSummary.trim().replaceAll(/^/gm, '2026-11-16T05:13:30.1234567Z ');
  expect(readTestReport(stamped)).toMatchObject({ framework: 'jest', total: 3, failed: 1 });
});

const fragments = [
  'running 3 tests',
  'test result: ok. ',
  '3 passed; 0 failed;',
  '=',
  '==== test session starts ====',
  '3 passed',
  ' in 0.1s',
  '-'.repeat(70),
  'Ran 3 tests in 0.1s',
  'OK',
  'Test Suites: 1 total',
  'Tests: 1 total',
  ' Test Files  1 passed (1)',
  '      Tests  1 passed (1)',
  '  3 passing (1ms)',
  '  3 failing',
  '  1) a',
  '       b:',
  'TAP version 13',
  'ok 1 - a',
  'not ok 2 {',
  '    ok 1',
  '  ---',
  '  ...',
  '1..3',
  '# tests 3',
  '<testsuite>',
  '<testcase name="',
  '"/>',
  '<![CDATA[',
  ']]>',
  '-->',
  '{',
  '}',
  '{"Action":"pass","Package":"a","Test":"b"}',
  '=== RUN   A',
  '--- FAIL: A (0.00s)',
  'FAIL\ta\t0.1s',
  'ok  \ta\t0.1s',
  '[==========] 3 tests from 1 test suite ran.',
  '[  PASSED  ] 3 tests.',
  'Finished in 0.1 seconds',
  '3 tests, 0 failures',
  'Results:',
  'Tests run: 3, Failures: 9, Errors: 0, Skipped: 0',
  'Files=1, Tests=3, ',
  'Result: PASS',
  '\r',
  '\u001b[31m',
  ' ',
  '::::',
  '(((',
  '"',
  "'",
  '9'.repeat(40),
  '\ud800',
];

test('whatever text arrives, the reader neither throws nor miscounts: a total is always the sum of its parts', () => {
  const line = fc.array(fc.oneof(fc.constantFrom(...fragments), fc.string({ maxLength: 8 })), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const report = readTestReport(lines.map((parts) => parts.join('')).join('\n'));
      if (report === undefined) return;
      const { total, passed, failed, skipped, details } = report;
      expect(total).toBe(passed + failed + skipped);
      for (const count of [passed, failed, skipped]) expect(count).toBeGreaterThanOrEqual(0);
      expect(Number.isSafeInteger(total)).toBe(true);
      expect(details.every(({ durationMs = 0 }) => Number.isFinite(durationMs))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

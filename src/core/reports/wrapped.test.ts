import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTestReport } from './read.ts';

const jest =
  'PASS a.test.js\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\nSnapshots:   0 total\nRan all test suites.\n';
const mocha = '\n  calc\n    ✔ adds\n\n\n  1 passing (5ms)\n\n';
const assertion = { ancestorTitles: ['calc'], title: 'adds', status: 'failed', failureMessages: ['x'.repeat(100_000)] };
const jestJson = JSON.stringify({
  numTotalTests: 1,
  numRuntimeErrorTestSuites: 0,
  testResults: [{ name: 'a', status: 'failed', assertionResults: [assertion] }],
});

test.each([
  ['a build server', '2024-05-01T12:00:00.1234567Z '],
  ['the log of a job', 'build (20)\tRun tests\t2024-05-01T12:00:00.1234567Z '],
  ['a service', 'app-1  | '],
  ['a service with a time stamp', '2024-05-01T12:00:00Z app-1  | '],
])('B047: a document on one long line is read after the prefix of %s', (_whose, prefix) => {
  expect(readTestReport(`${prefix}> jest --json\n${prefix}${jestJson}\n`)).toMatchObject({
    framework: 'jest',
    failed: 1,
    details: [{ name: 'calc › adds', status: 'failed' }],
  });
});

test('B047: a document is read even if the next output follows on the same line', () => {
  const lines = JSON.stringify(JSON.parse(jestJson), null, 2);
  for (const text of [jestJson, lines]) {
    expect(readTestReport(`${text}make: *** [Makefile:2: test] Error 1\n`)).toMatchObject({ failed: 1 });
  }
});

test.each([
  ['time stamps of the month and day', (text: string) => text.replaceAll(/^/gm, 'May 01 12:00:00 ')],
  ['a tree', (text: string) => `packages/a test$ jest\n${text.replaceAll(/^/gm, '│ ')}\n└─ Done in 1.2s\n`],
  ['lines that are filled with spaces', (text: string) => text.replaceAll(/$/gm, '     ')],
  ['lines that are erased after their end', (text: string) => text.replaceAll('\n', '\r\u001b[K\n')],
  ['lines that are erased before their beginning', (text: string) => text.replaceAll(/^/gm, '\u001b[2K\u001b[1G')],
])('B047: %s make no difference', (_what, wrap) => {
  expect(readTestReport(wrap(jest))).toMatchObject({ framework: 'jest', total: 2, passed: 2 });
  expect(readTestReport(wrap(mocha))).toMatchObject({ framework: 'mocha', total: 1, passed: 1 });
});

test('A087: text between backticks is a quotation; unclosed backticks quote nothing', () => {
  for (const text of [jest, mocha, `${jestJson}\n`, 'TAP version 13\n1..1\nok 1 - a\n']) {
    expect(readTestReport(`# How to test\n\n\`\`\`console\n$ npm test\n${text}\`\`\`\n\nDone.\n`)).toBeUndefined();
    expect(readTestReport(`\`\`\`js\nprinted()\n\`\`\`\n${text}`)).toBeDefined();
    expect(readTestReport(`\`\`\`\nprinted by a test\n${text}`)).toBeDefined();
  }
});

test.each([
  ['what grep found', 'out.txt:Test Suites: 1 passed, 1 total\nout.txt:Tests:       5 passed, 5 total\n'],
  [
    'a difference',
    '+Test Suites: 2 passed, 2 total\n+Tests:       7 passed, 7 total\n+TAP version 13\n+1..1\n+ok 1 - a\n',
  ],
  ['the log of git', `commit abc\n\n    Test\n\n${mocha.replaceAll(/^/gm, '    ')}`],
  ['a quotation', jest.replaceAll(/^/gm, '> ')],
  ['a list', '- Test Suites: 1 passed, 1 total\n- Tests: 5 passed, 5 total\n- ===== 5 passed in 0.1s =====\n'],
  ['JSON with a word in common', '{\n  "name": "x",\n  "stats": {"passes": 3}\n}\n'],
  ['a sentence with two bars', 'So | ok | 0'],
  ['a sentence with the counts of deno', 'So | ok | 3 passed | 0 failed'],
  ['a message that quotes the counts of mocha', '<pre>\n\n  7 passing (1s)\n    at b.js:3</pre>\n'],
])('A087: %s is not a report', (_what, text) => {
  expect(readTestReport(text)).toBeUndefined();
});

test('A087: prose is not a report, whatever numbers of tests it mentions', () => {
  const number = fc.integer({ min: 0, max: 99 }).map(String);
  const word = fc.constantFrom(
    ...'passed failed skipped tests test suites ok not all of in 0.1s errors failures examples passing OK FAIL PASS'.split(
      ' ',
    ),
    'Tests:',
    'and',
    'total',
    '✓',
    '✔',
    '|',
    '- ',
    '**',
  );
  const sentence = fc.array(fc.oneof(number, word), { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
  const line = fc.tuple(fc.constantFrom('I ran it: ', '- ', '* ', '> ', '## ', 'So '), sentence).map(([a, b]) => a + b);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      expect(readTestReport(lines.join('\n'))).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});

test('A073: if a verbose run names passed and skipped tests, so does the report', () => {
  const text = `PASS a.test.js
  ✓ at the top
  calc
    ✓ adds (3 ms)
    ○ skipped later
    ✎ todo write me
    deep
      ✕ fails (1 ms)

  ● calc › deep › fails

    expect(received).toBe(expected)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 skipped, 1 todo, 2 passed, 5 total
`;
  const file = 'a.test.js';
  expect(readTestReport(text)?.details).toEqual([
    { name: 'at the top', status: 'passed', file },
    { name: 'calc › adds', status: 'passed', file, durationMs: 3 },
    { name: 'calc › later', status: 'skipped', file },
    { name: 'calc › write me', status: 'skipped', file },
    { name: 'calc › deep › fails', status: 'failed', file, error: 'expect(received).toBe(expected)' },
  ]);
});

test('B047: text drawn over a line with a prefix belongs to the owner of the prefix', () => {
  const [file, suites, tests, ...rest] = jest.split('\n');
  const text = [`running\r\u001b[K${file}`, `0 of 1\r\u001b[K${suites}`, tests, ...rest].join('\n');
  expect(readTestReport(text)).toMatchObject({ framework: 'jest', passed: 2 });
  expect(readTestReport(text.replaceAll(/^(?=.)/gm, 'web-1  | ').replaceAll('\rweb-1  | ', '\r'))).toMatchObject({
    framework: 'jest',
    passed: 2,
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTestReport } from './read.ts';

const vitest = ' RUN  v3.2.4 /project\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n';
const jest = 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\nSnapshots:   0 total\n';
const cargo = (passed: number, failed: number) =>
  `test result: ok. ${passed} passed; ${failed} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n`;

test.each([
  ['vitest', ' RUN  v3.2.4 /project\n\n ✓ calc.test.js (2 tests) 3ms\n'],
  ['pytest', '===== test session starts =====\ncollected 2 items\n\ntest_calc.py .'],
  ['pytest -q that ran before', '..  [100%]\n2 passed in 0.01s\n.  [ 50%]\n'],
  ['cargo, of which one binary was done', `running 2 tests\n\n${cargo(2, 0)}\nrunning 3 tests\ntest a ... ok\n`],
  ['TAP without its plan', 'TAP version 13\nok 1 - adds\nok 2 - subtracts\n'],
  ['TAP with points missing', '1..3\nok 1 - adds\nok 2 - subtracts\n'],
  ['JUnit XML', '<testsuites>\n<testsuite name="a">\n<testcase name="adds"/>\n'],
  ['go test -v', '=== RUN   TestAdds\n--- PASS: TestAdds (0.00s)\n=== RUN   TestDivides\n'],
  [
    'go test -json',
    '{"Action":"run","Package":"a","Test":"B"}\n{"Action":"pass","Package":"a","Test":"B","Elapsed":0}\n',
  ],
  ['Playwright', 'Running 3 tests using 1 worker\n\n  ✓  1 a.spec.js:3:3 › adds (1ms)\n'],
  ['GoogleTest', '[==========] Running 2 tests from 1 test suite.\n[       OK ] Calc.Adds (0 ms)\n'],
  ['Surefire', '[INFO]  T E S T S\n[INFO] Running CalcTest\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n'],
])('A087: a run that breaks off is not a pass, and no result is invented for it: %s', (_what, text) => {
  expect(readTestReport(text)).toBeUndefined();
});

test('A087: a run that breaks off is reported with the failures up to then', () => {
  expect(readTestReport('TAP version 13\nok 1 - adds\nnot ok 2 - divides\n')).toMatchObject({ passed: 1, failed: 1 });
  expect(readTestReport('<testsuite>\n<testcase name="a"><failure/></testcase>\n')).toMatchObject({ failed: 1 });
  const swift = "Test Suite 'All tests' started at 1\nTest Case 'A.testB' failed (0.1 seconds)\nerror: Exited\n";
  expect(readTestReport(swift)).toMatchObject({ framework: 'swift', passed: 0, failed: 1 });
});

test('A087: a binary that dies before its summary counts as one failure', () => {
  const text = `     Running unittests src/lib.rs (target/debug/deps/a-1)\n\nrunning 2 tests\n\n${cargo(2, 0)}
     Running tests/crash.rs (target/debug/deps/crash-2)\n\nrunning 2 tests\nerror: test failed, to rerun pass \`--test crash\`\n`;
  expect(readTestReport(text)).toMatchObject({ framework: 'cargo', passed: 2, failed: 1, skipped: 0 });
});

test.each([
  ['vitest', ` RUN  v3.2.4 /outer\n${vitest}${vitest}\n Test Files  1 passed (1)\n      Tests  7 passed (7)\n`, 7],
  [
    'pytest',
    `===== test session starts =====\n5 passed in 0.1s\n===== test session starts =====\n===== 3 passed in 0.1s =====\n===== 7 passed in 1.0s =====\n`,
    7,
  ],
  ['cargo', `running 7 tests\nrunning 2 tests\n${cargo(2, 0)}${cargo(7, 0)}`, 7],
  ['tap', 'TAP version 13\nok 1 - a\nTAP version 13\n1..2\nok 1 - b\nok 2 - c\nok 2 - d\nok 3 - e\n1..3\n', 3],
  [
    'node:test',
    '✔ a (1ms)\nℹ tests 9\nℹ suites 0\nℹ pass 9\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 1\n✔ b (1ms)\nℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 5\n',
    2,
  ],
])('A087: output of the same runner inside a test is not counted: %s', (framework, text, passed) => {
  expect(readTestReport(text)).toMatchObject({ framework, total: passed, passed });
});

test.each([
  ['mocha', '\n  3 passing (5ms)\n  1 failing\n\n  1) calc\n       divides:\n     Error: '],
  [
    'node:test',
    '✖ divides (1ms)\nℹ tests 1\nℹ suites 0\nℹ pass 0\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 1\n\n✖ failing tests:\n\ntest at a.js:1:1\n✖ divides (1ms)\n  ',
  ],
])('A087: reports that %s quotes after its own counts are not counted', (framework, text) => {
  const quoted = `${vitest}<testsuite><testcase name="a"/></testsuite>`.replaceAll('\n', '\n  ');
  expect(readTestReport(`${text}${quoted}\n`)).toMatchObject({ framework, failed: 1 });
});

test('A087: a JUnit document that a test printed is part of the output of that test, or ends where it breaks off', () => {
  const inner = '<testsuites>\n<testcase name="q"/>\n</testsuites>';
  const outer = (output: string) =>
    `<testsuites>\n<testsuite name="a">\n<testcase name="b"><system-out>${output}</system-out></testcase>\n</testsuite>\n</testsuites>\n`;
  expect(readTestReport(outer(`<![CDATA[\n${inner}\n]]>`))).toMatchObject({ framework: 'junit', total: 1, passed: 1 });
  expect(readTestReport(`<testsuite>\n<testcase name="q"/>\n${outer('')}`)).toMatchObject({ total: 1, passed: 1 });
});

test('A087: a mocha summary that lists none of its failures is a quotation', () => {
  expect(readTestReport(`\n  6 passing (3ms)\n  2 failing\n\nand so on\n${jest}`)).toMatchObject({ framework: 'jest' });
  expect(readTestReport('\n  6 passing (3ms)\n  2 failing\n\nand so on\n')).toBeUndefined();
});

test('B047: two formatters of one run count as one run, and names may contain the text around them', () => {
  const rspec =
    'Finished in 0.01 seconds (files took 0.1 seconds to load)\n2 examples, 1 failure\n\nFailed examples:\n\nrspec ./a_spec.rb:3 # calc # adds\n\n';
  expect(readTestReport(rspec.repeat(2))).toMatchObject({ total: 2, details: [{ name: 'calc # adds' }] });
  const pytest =
    '===== short test summary info =====\nFAILED a.py::b[x - y] - assert 1 - 2\n===== 1 failed in 0.1s =====\n';
  expect(readTestReport(pytest)).toMatchObject({ details: [{ name: 'a.py::b[x - y]', error: 'assert 1 - 2' }] });
});

test('B047: Playwright names the failed tests; a test that passed at the second attempt has passed', () => {
  const text = `Running 6 tests using 2 workers\n  5 passed (3s)\n\n  1 failed\n    [webkit] › a.spec.js:3:1 › 5 passed ─────\n  1 flaky\n    [webkit] › a.spec.js:9:1 › flaky ─────\n  1 skipped\n  3 passed (1.2m)\n`;
  expect(readTestReport(text)).toMatchObject({
    framework: 'playwright',
    passed: 4,
    failed: 1,
    skipped: 1,
    details: [{ name: '[webkit] › a.spec.js:3:1 › 5 passed' }],
  });
});

const prefixes = [
  ['GitHub', '2026-11-16T05:13:30.1234567Z '],
  ['GitLab', '2026-11-16T05:13:30.123456Z 01O '],
  ['a build server', '[2026-11-16T05:13:30.123Z] '],
  ['a clock', '05:13:30 '],
  ['the log of a job', 'build\tRun tests\t2026-11-16T05:13:30.1234567Z '],
  ['a container that is built', '#12 1.234 '],
  ['lerna', '@scope/web: '],
  ['pnpm', 'packages/a test: '],
  ['turbo', 'web:test: '],
  ['concurrently', '[0] '],
  ['npm-run-all', '[test:unit ] '],
  ['yarn', '[@scope/web]: '],
  ['a composition', 'web-1  | '],
  ['a box', 'packages/a │ '],
] as const;

test.each(prefixes)('B047: the prefix of %s makes no difference, nor do two prefixes', (_whose, prefix) => {
  const lines = vitest.trimEnd();
  expect(readTestReport(lines.replaceAll(/^/gm, prefix))).toMatchObject({ framework: 'vitest', total: 2, passed: 2 });
  const stamped = lines.replaceAll(/^/gm, `2026-11-16T05:13:30Z ${prefix}`);
  expect(readTestReport(stamped)).toMatchObject({ framework: 'vitest', total: 2, passed: 2 });
});

test('B047: whatever a test is called, its name changes no count', () => {
  const name = fc.oneof(
    fc.constantFrom('5 passed', 'ok 1 - a', 'Tests: 1 passed, 1 total', '# SKIP', 'a | b, c › d', 'x'.repeat(10_000)),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => !/[\r\n\p{C}\p{Z}]/u.test(text)),
  );
  fc.assert(
    fc.property(name, (title) => {
      const safe = title.replaceAll('"', '').replaceAll(/[<&]/g, '');
      const xml = `<testsuite><testcase name="${safe}"/><testcase name="b"><failure message="${safe}"/></testcase></testsuite>\n`;
      expect(readTestReport(xml)).toMatchObject({ framework: 'junit', passed: 1, failed: 1 });
      const text = ` RUN  v3.2.4 /project\n FAIL  ${title}\n\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n`;
      expect(readTestReport(text)).toMatchObject({
        framework: 'vitest',
        failed: 1 + (/ \[ .+ \]$/.test(title) ? 1 : 0),
      });
    }),
  );
});

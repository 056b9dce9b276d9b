import { expect, test } from 'vitest';
import { readTestReport } from './read.ts';

const jest = `FAIL ./src/calc.test.js
  ● calc › divides

    expect(received).toBe(expected) // Object.is equality

  ● calc › adds

Test Suites: 1 failed, 1 total
Tests:       2 failed, 2 total
Ran all test suites.
`;
const vitest = ` RUN  v3.2.4 /project

 FAIL  |web| src/calc.test.ts > calc > divides
AssertionError: expected 1 to be 2 // Object.is equality

 Test Files  1 failed (1)
      Tests  1 failed (1)
`;
const cargo = `running 1 test
test tests::divides ... FAILED

failures:

---- tests::divides stdout ----
thread 'tests::divides' (5458) panicked at src/lib.rs:5:61:
assertion failed: left == right

failures:
    tests::divides

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`;
const go = `--- FAIL: TestDivides (0.00s)
    calc_test.go:12: want 2, got 3
    calc_test.go:13: and more
FAIL
FAIL\texample.com/calc\t0.002s
`;
const pytest = `===== test session starts =====
===== short test summary info =====
FAILED tests/test_calc.py::test_divides - assert 1 == 2
===== 1 failed in 0.1s =====
`;
const rspec = `Finished in 0.01 seconds
1 example, 1 failure

Failed examples:

rspec ./spec/calc_spec.rb:12 # calc divides
`;
const junit =
  '<testsuite><testcase name="divides" file="test/calc.rb"><failure message="no"/></testcase></testsuite>\n';

test.each([
  ['jest', jest, { name: 'calc › divides', file: 'src/calc.test.js', error: /^expect\(received\)/u }],
  [
    'vitest',
    vitest,
    { name: '|web| src/calc.test.ts > calc > divides', file: 'src/calc.test.ts', error: /^Assertion/u },
  ],
  ['cargo', cargo, { name: 'tests::divides', file: undefined, error: /^panicked at src\/lib\.rs:5:61: assertion f/u }],
  ['go', go, { name: 'example.com/calc.TestDivides', file: 'calc_test.go', error: /^want 2, got 3$/u }],
  [
    'pytest',
    pytest,
    { name: 'tests/test_calc.py::test_divides', file: 'tests/test_calc.py', error: /^assert 1 == 2$/u },
  ],
  ['rspec', rspec, { name: 'calc divides', file: 'spec/calc_spec.rb', error: undefined }],
  ['junit', junit, { name: 'divides', file: 'test/calc.rb', error: /^no$/u }],
])(
  'B044, B048: the file and the error of a failing test are read from %s, as far as they are reported',
  (framework, text, wanted) => {
    const report = readTestReport(text);
    const [detail] = report?.details ?? [];
    expect(report?.framework).toBe(framework);
    expect(detail).toMatchObject({ name: wanted.name, status: 'failed' });
    expect(detail?.file).toBe(wanted.file);
    if (wanted.error === undefined) expect(detail?.error).toBeUndefined();
    else expect(detail?.error).toMatch(wanted.error);
  },
);

test('B044: a failing test without a message does not get the message of the next one', () => {
  expect(readTestReport(jest)?.details[1]).toEqual({ name: 'calc › adds', status: 'failed', file: 'src/calc.test.js' });
  const verbose = `=== RUN   TestA\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:3: not mine\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tx\t0.1s\n`;
  expect(readTestReport(verbose)?.details.map(({ error }) => error)).toEqual([undefined, undefined]);
});

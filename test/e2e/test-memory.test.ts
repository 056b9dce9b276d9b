import { expect, test } from 'vitest';
import { createProject, factsOf, jsonLines, stateOf } from '../support/project.ts';

const suites = [
  [
    'FAILED test_calc.py::test_adds - assert 1 == 2',
    'FAILED test_calc.py::test_divides - no zero',
    '2 failed, 1 passed',
  ],
  ['FAILED test_calc.py::test_divides - no zero', '1 failed, 2 passed'],
  ['FAILED test_calc.py::test_divides - still no zero', 'FAILED test_calc.py::test_takes - why', '2 failed, 1 passed'],
] as const;

/** A project whose check prints, as pytest would, what came of each iteration's tests. */
function projectWithSuites() {
  const project = createProject();
  const lines = suites.map((suite, index) => {
    const [failures, counts] = [suite.slice(0, -1), suite.at(-1)];
    const text = ['===== test session starts =====', '===== short test summary info =====', ...failures];
    return `${index}) printf '%s\\n' ${[...text, `===== ${counts} in 0.1s =====`].map((line) => `'${line}'`).join(' ')};;`;
  });
  project.script('check.sh', 'case $(wc -l < work) in', ...lines, 'esac', 'exit 1');
  project.script('agent.sh', 'cat > heard', 'echo more >> work', 'echo "<promise>DONE</promise>"');
  project.write('work', '');
  return project;
}

const usual = ['--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--verify', './check.sh'];

test('B044, B046: status names fixed, broken and stubborn tests, and has everything about each as JSON', async () => {
  const project = projectWithSuites();
  await project.ralphd('run', 'x', ...usual, '-n', '2');
  const { stdout } = await project.ralphd('status');
  expect(stdout.split('\n').filter((line) => /^ {2}(?:tests|fixed|broken|flaky|stubborn) /u.test(line))).toEqual([
    '  tests     1 of 3 passed (pytest)',
    '  broken    test_calc.py::test_takes',
    '  stubborn  failed 3 times in a row: test_calc.py::test_divides (still no zero)',
  ]);
  const [{ tests }] = jsonLines((await project.ralphd('status', '--json')).stdout) as [{ tests: object }];
  expect(tests).toMatchObject({
    framework: 'pytest',
    total: 3,
    passed: 1,
    failed: 2,
    skipped: 0,
    fixed: [],
    broken: ['test_calc.py::test_takes'],
    tracked: [
      { name: 'test_calc.py::test_takes', status: 'failed', results: 'pf', lastError: 'why' },
      { id: 'test_calc.py::test_divides', file: 'test_calc.py', status: 'failed', failStreak: 3, results: 'fff' },
      { name: 'test_calc.py::test_adds', status: 'passed', passStreak: 2, passes: 2, failures: 1, results: 'fpp' },
    ],
  });
  expect((await project.ralphd('explain')).stdout).toContain('newly broken: test_calc.py::test_takes');
});

test('B044: the error of a test is redacted in the journal and in the snapshot like all that checks print', async () => {
  const project = projectWithSuites();
  const secret = 'hunter2hunter2hunter2';
  project.script(
    'check.sh',
    "printf '===== test session starts =====\\n===== short test summary info =====\\n'",
    'echo "FAILED a.py::b - the key is $SOME_API_KEY"',
    "printf '===== 1 failed in 0.1s =====\\n'; exit 1",
  );
  await project.ralphdWith({ SOME_API_KEY: secret }, ['run', 'x', ...usual, '-n', '1']);
  const [gate] = factsOf(project, 'gate.finished');
  expect(gate).toMatchObject({
    tests: { failures: [{ name: 'a.py::b', error: expect.stringContaining('redacted') }] },
  });
  expect(JSON.stringify([gate, stateOf(project)])).not.toContain(secret);
});

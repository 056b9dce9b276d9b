import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf } from '../support/agents.ts';
import { createProject, endLine, factsOf, jsonLines, promptOf } from '../support/project.ts';

const recordings = path.join(import.meta.dirname, '../recordings-of-tests');

test('A072, A073: parse-tests prints what a test runner reported, as JSON or for people', async () => {
  const project = createProject();
  const file = path.join(recordings, 'jest/red.txt');
  const [report] = jsonLines((await project.ralphd('parse-tests', file, '--json')).stdout);
  expect(report).toEqual({
    framework: 'jest',
    total: 7,
    passed: 3,
    failed: 2,
    skipped: 2,
    details: [
      {
        name: 'calc › hard › multiplies',
        status: 'failed',
        file: 'calc.test.js',
        error: 'expect(received).toBe(expected) // Object.is equality',
      },
      // The message of a failing test may say anything.
      { name: 'calc › divides', status: 'failed', file: 'calc.test.js', error: '5 passed, 2 failed in 0.1s' },
    ],
  });
  expect((await project.ralphd('parse-tests', file)).stdout).toBe(
    'jest: 7 tests, 3 passed, 2 failed, 2 skipped\n  failed calc › hard › multiplies\n  failed calc › divides\n',
  );
});

test('A087: parse-tests says of any other text that it knows no report in it, and of a file it cannot read why', async () => {
  const project = createProject();
  project.write('log', '5 passed, 2 failed, said somebody\n');
  expect((await project.ralphd('parse-tests', 'log', '--json')).stdout).toBe('{"framework":null}\n');
  expect((await project.ralphd('parse-tests', '--json')).stdout).toBe('{"framework":null}\n');
  expect(endLine(await project.ralphd('parse-tests', 'missing', '--json'))).toMatchObject({
    code: 'FILE_UNREADABLE',
    exitCode: 64,
  });
});

test('A104: the loop ends when its tests fail again and again although the tree changes, and not before', async () => {
  const project = createProject();
  project.script('agent.sh', 'cat >> heard', 'echo more >> work', 'echo "<promise>DONE</promise>"');
  // Three tests fail at first; in the third iteration one of them is mended, and then nothing gets better.
  project.script(
    'check.sh',
    'echo "TAP version 13"; echo "ok 1 - adds"; echo "not ok 2 - divides"; echo "not ok 3 - roots"',
    '[ $(wc -l < work) -ge 3 ] && echo "ok 4 - powers" || echo "not ok 4 - powers"',
    'echo "1..4"; exit 1',
  );
  const ended = await project.ralphd(...runOf('-n', '20', '--no-baseline'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'test_failures', iterations: 6, exitCode: 4 });
  const runs = factsOf(project, 'gate.finished').map(({ tests }) => tests);
  expect(runs.slice(0, 4)).toMatchObject([{ failed: 3 }, { failed: 3 }, { failed: 2 }, { failed: 2 }]);
  expect(runs.at(-1)).toEqual({
    framework: 'tap',
    total: 4,
    passed: 2,
    failed: 2,
    skipped: 0,
    failing: ['divides', 'roots'],
    passing: ['adds', 'powers'],
  });
  expect(promptOf(project, 2)).toContain('> 3 of 4 tests failed (tap)\n> - divides\n> - roots\n> - powers');
});

test('a gate without any test does not pass, whatever it exits with, and the agent learns why', async () => {
  const project = createProject();
  project.script('agent.sh', 'cat >> heard', 'echo more >> work', 'echo "<promise>DONE</promise>"');
  project.script(
    'check.sh',
    'echo "running 0 tests"; echo "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"',
  );
  const ended = await project.ralphd(...runOf('-n', '2', '--allow-broken-baseline'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', verified: false, exitCode: 2 });
  expect(factsOf(project, 'gate.finished')).toMatchObject([{ verdict: 'unverifiable' }, { verdict: 'unverifiable' }]);
  expect(promptOf(project, 2)).toContain('> no test ran (cargo)');
});

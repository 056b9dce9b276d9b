import { expect, test } from 'vitest';
import { runOf, writeBusyAgent, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, jsonLines } from '../support/project.ts';

test('explain says why a loop failed, what was seen, how near every rule is, and what to do', async () => {
  const project = createProject();
  writeCheck(project);
  writeBusyAgent(project);
  await project.ralphd(...runOf('-n', '2', '--loop-id', 'ralph-fix-tests-aaaa0001'));
  const { stdout, stderr, code } = await project.ralphd('explain');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toMatchInlineSnapshot(`
    "ralph-fix-tests-aaaa0001
      Failed: the maximum number of iterations is used up.

      because   2 of 2 iterations
      evidence  2 iterations, 0 failed; the last progress was in iteration 2
      progress  0.25 of 1 on average over the last five iterations

      stop rules at the end
      max_iterations     ████████  2 of 2 iterations
      same_error         ········  0 of 3 iterations in a row failed with the same error
      iteration_failures ········  0 of 5 iterations in a row failed
      test_failures      ········  0 of 3 changes in a row made no failing test pass
      no_progress        ········  0 of 5 iterations in a row made no progress

      next
      ralphd resume ralph-fix-tests-aaaa0001 --max-iterations 4
          allow more iterations, and continue in a new loop; the work so far is in the work tree
      ralphd status ralph-fix-tests-aaaa0001
          see the details
    "
  `);
});

test('explain says what proved a completed loop, also as JSON', async () => {
  const project = createProject();
  writeCheck(project);
  writeHonestAgent(project);
  await project.ralphd(...runOf('--loop-id', 'ralph-fix-tests-aaaa0001'));
  const [object] = jsonLines((await project.ralphd('explain', '--json')).stdout);
  expect(object).toMatchObject({
    loopId: 'ralph-fix-tests-aaaa0001',
    status: 'completed',
    headline: 'Completed: the task is done, and the checks prove it.',
    because: ['ralphd ran all checks itself after iteration 1, and they passed'],
    evidence: ['./check.sh: passed', '1 iteration, 0 failed; the last progress was in iteration 1'],
    pace: { velocity: 0.7, streak: 0, recommendation: 'continue' },
    next: [
      { command: 'ralphd report ralph-fix-tests-aaaa0001' },
      { command: 'ralphd status ralph-fix-tests-aaaa0001' },
    ],
  });
  expect(object?.['rules']).toEqual([]);
  expect((await project.ralphd('explain')).stdout).not.toContain('stop rules');
});

test('no screen advises a resume that a limit, written as a condition, would pause again at once', async () => {
  const project = createProject();
  writeCheck(project);
  writeBusyAgent(project);
  const stop = [{ type: 'max_iterations', count: 1 }];
  project.write('ralphd.yml', JSON.stringify({ baseline: false, onLimit: 'pause', stopConditions: { stop } }));
  const id = 'ralph-fix-tests-aaaa0001';
  const plain = runOf('--loop-id', id).filter((flag) => flag !== '--json');
  const { stdout, code } = await project.ralphd(...plain);
  expect(code).toBe(2);
  expect(stdout).toMatch(/nothing was lost\. For the next step: ralphd explain ralph-fix-tests-aaaa0001\n$/);
  expect((await project.ralphd('status')).stdout).toMatch(/next +ralphd explain ralph-fix-tests-aaaa0001\n/);
  const [object] = jsonLines((await project.ralphd('explain', '--json')).stdout);
  expect(object?.['next']).toMatchObject([
    {
      command: `ralphd resume ${id} --accept-conditions`,
      does: expect.stringContaining('raise stop.0 in "stopConditions"'),
    },
    { command: `ralphd abort ${id}` },
  ]);
});

test('a loop that a limit paused is shown with the resume that gives it room', async () => {
  const project = createProject();
  writeCheck(project);
  writeBusyAgent(project);
  project.write('ralphd.yml', JSON.stringify({ baseline: false, onLimit: 'pause' }));
  const id = 'ralph-fix-tests-aaaa0001';
  const { stdout } = await project.ralphd(...runOf('-n', '1', '--loop-id', id).filter((flag) => flag !== '--json'));
  expect(stdout).toContain(`Resume: ralphd resume ${id} --max-iterations 2\n`);
  expect((await project.ralphd('status')).stdout).toContain(`ralphd resume ${id} --max-iterations 2\n`);
  expect((await project.ralphd('guide', 'mind the gap')).stdout).toBe(
    `${id} will add guidance 1 to every prompt from the next one on.\n  Drop it: ralphd guide ${id} --drop 1\n`,
  );
});

import { expect, test } from 'vitest';
import { runOf, writeCheck } from '../support/agents.ts';
import { loopFolder } from '../support/loop-files.ts';
import { createProject, endLine, factsOf, type Project, promptOf } from '../support/project.ts';

/** A project whose agent stores its environment and completes the task. */
function projectWithWitness(settings: object): Project {
  const project = createProject();
  writeCheck(project);
  project.script('agent.sh', 'cat > /dev/null', 'env > environment', 'touch done', 'echo "<promise>DONE</promise>"');
  project.write('ralphd.yml', JSON.stringify(settings));
  return project;
}

const variablesIn = (project: Project) =>
  Object.fromEntries(
    project
      .read('environment')
      .split('\n')
      .map((line) => line.split('=', 2) as [string, string]),
  );

test('with a strict environment a real agent sees only what is allowed, and the checks see everything', async () => {
  const env = { env: 'strict', envAllow: ['MYAPP_*'], iteration: { env: { GIVEN: 'yes' } } };
  const project = projectWithWitness({ ...env, verify: ['test "$OTHER" = here'] });
  const caller = { MYAPP_MODE: 'test', OTHER: 'here', SSH_AUTH_SOCK: '/tmp/socket', GITHUB_TOKEN: 'ghp_x' };
  const ended = await project.ralphdWith(caller, runOf());
  expect(endLine(ended), ended.stderr).toMatchObject({ status: 'completed', verified: true });
  const seen = variablesIn(project);
  expect(seen).toMatchObject({ MYAPP_MODE: 'test', GIVEN: 'yes', RALPHD_ITERATION: '1', PATH: expect.any(String) });
  for (const name of ['OTHER', 'SSH_AUTH_SOCK', 'GITHUB_TOKEN']) expect(seen).not.toHaveProperty(name);
});

test('A159 B100: a seeded run gets its mode, temperature and seed, and records them with its prompt and output', async () => {
  const project = projectWithWitness({});
  const ended = await project.ralphd(...runOf('--execution-mode', 'seeded', '--seed', '42'));
  expect(endLine(ended), ended.stderr).toMatchObject({ status: 'completed' });
  expect(variablesIn(project)).toMatchObject({
    RALPHD_EXECUTION_MODE: 'seeded',
    RALPHD_TEMPERATURE: '0.7',
    RALPHD_SEED: '42',
  });
  const attempt = `${loopFolder(project)}/iterations/001/attempt-1`;
  expect(JSON.parse(project.read(`${attempt}/result.json`))).toMatchObject({
    execution: { mode: 'seeded', temperature: 0.7, seed: 42 },
    files: { prompt: 'prompt', stdout: 'stdout', stderr: 'stderr' },
  });
  expect(project.read(`${attempt}/stdout`)).toContain('DONE');
  expect(factsOf(project, 'loop.started')).toMatchObject([{ config: { executionMode: 'seeded', seed: 42 } }]);
});

test('A080: with --test-every the checks run without a claim, show in the output, and complete nothing', async () => {
  const project = createProject();
  writeCheck(project);
  project.script('agent.sh', 'cat > /dev/null', 'echo more >> work', 'touch done');
  const ended = await project.ralphd(...runOf('-n', '3', '--test-every', '2').filter((word) => word !== '--json'));
  expect(ended.code).toBe(2);
  expect(ended.stdout + ended.stderr).toContain('all checks pass, but nothing was claimed');
  expect(factsOf(project, 'gate.finished')).toMatchObject([{ iteration: 2, verdict: 'passed', isPeriodic: true }]);
  expect(promptOf(project, 3)).toContain('Every check passed, although you did not say that the task is done.');
});

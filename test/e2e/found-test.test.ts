import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, usual, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, endLine, factsOf, type Project } from '../support/project.ts';

const agent = ['--agent', 'command', '--agent-command', './agent.sh', '--delay', '0'];

/** A project whose own tests, run by a program on its PATH that plays npm, pass once the file `done` is there. */
function projectWithTests(): { readonly project: Project; readonly env: NodeJS.ProcessEnv } {
  const project = createProject();
  writeHonestAgent(project);
  mkdirSync(path.join(project.folder, 'programs'));
  project.script('programs/npm', 'echo "npm $*" >> asked', 'test -f done');
  project.write('package.json', '{"scripts":{"test":"node --test"}}');
  return { project, env: { PATH: `${project.folder}/programs:/usr/bin:/bin` } };
}

test('A157, R6: the test command of the project is found, shown, and must pass before the loop is done', async () => {
  const { project, env } = projectWithTests();
  const shown = await project.ralphdWith(env, ['run', 'x', ...agent]);
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stderr).toContain('"npm test" passes (found)');
  expect(factsOf(project, 'loop.started')).toMatchObject([{ checks: ['npm test'], foundTest: 'npm test' }]);
  expect(factsOf(project, 'gate.finished')).toMatchObject([{ verdict: 'passed', checks: [{ command: 'npm test' }] }]);
  expect(project.read('asked')).toBe('npm test\nnpm test\n');
});

test('A157: it is added to the given checks, and omitted with --no-auto-test', async () => {
  const { project, env } = projectWithTests();
  writeCheck(project);
  await project.ralphdWith(env, ['run', 'x', ...usual, '--json', '--loop-id', 'with']);
  expect(factsOf(project, 'loop.started')).toMatchObject([{ checks: ['./check.sh', 'npm test'] }]);
  const { project: other, env: same } = projectWithTests();
  writeCheck(other);
  await other.ralphdWith(same, [...runOf('--no-auto-test')]);
  const [started] = factsOf(other, 'loop.started');
  expect(started).toMatchObject({ checks: ['./check.sh'] });
  expect(started).not.toHaveProperty('foundTest');
  expect(other.has('asked')).toBe(false);
});

test('a test command whose program is missing is named in a warning; with nothing else there is nothing to verify', async () => {
  const { project } = projectWithTests();
  const env = { PATH: '/usr/bin:/bin' };
  project.write('package.json', '{"scripts":{"test":"x"},"packageManager":"pnpm@9.0.0"}');
  writeCheck(project);
  const refused = await project.ralphdWith(env, ['run', 'x', ...agent, '--json']);
  expect(endLine(refused)).toMatchObject({ code: 'NOTHING_TO_VERIFY', exitCode: 78 });
  expect(endLine(refused)['message']).toContain('"pnpm" is not installed');
  expect(project.has('.ralph')).toBe(false);
  const ended = await project.ralphdWith(env, ['run', 'x', ...usual]);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('According to package.json, "pnpm test" runs the tests, but "pnpm" is not installed');
});

test('A149, B112: criteria in words are read as their commands, and the reading is shown', async () => {
  const { project, env } = projectWithTests();
  writeCheck(project);
  const args = ['run', 'x', ...agent, '--verify', './check.sh passes', '--verify', 'all tests pass'];
  const ended = await project.ralphdWith(env, args);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('read     "./check.sh passes" as "./check.sh"');
  expect(ended.stderr).toContain('read     "all tests pass" as "npm test"');
  expect(factsOf(project, 'loop.started')).toMatchObject([{ checks: ['./check.sh', 'npm test'] }]);
});

test.each(['coverage is above 80%', 'the code is clean', 'all tests pass'])(
  'A149, B112: the criterion "%s" is refused where it is no command, before anything is created',
  async (criterion) => {
    const project = createProject();
    writeHonestAgent(project);
    const ended = await project.ralphd('run', 'x', ...agent, '--verify', criterion, '--json');
    expect(endLine(ended)).toMatchObject({ type: 'error', code: 'CRITERION_NOT_A_COMMAND', exitCode: 78 });
    expect(project.has('.ralph')).toBe(false);
  },
);

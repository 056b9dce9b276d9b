import { expect, test } from 'vitest';
import { createProject, endLine, factsOf, type Project } from '../support/project.ts';

const run = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--json', '-n', '1'];

/** A project with real npm and three real tests; its agent claims, and does the work only when told to. */
function projectWithTests(does: 'nothing' | 'work'): Project {
  const project = createProject();
  project.write('package.json', '{"name":"x","type":"module","scripts":{"test":"node --test"}}');
  const one = (name: string) => `test('${name}', () => assert.equal(value, 1));`;
  const names = ['a', 'b', 'c'].map(one).join('\n');
  project.write(
    'sum.test.js',
    `import test from 'node:test';\nimport assert from 'node:assert';\nimport { value } from './sum.js';\n${names}\n`,
  );
  project.write('sum.js', 'export const value = 0;\n');
  const work = does === 'work' ? 'echo "export const value = 1;" > sum.js' : 'echo idle >> notes';
  project.script('agent.sh', 'cat > /dev/null', work, 'echo "<promise>DONE</promise>"');
  return project;
}

const piped = 'npm test 2>&1 | tee test.log';

test('R6: a pipe into tee does not complete with failing tests, and does when they pass', async () => {
  const idle = projectWithTests('nothing');
  const refused = await idle.ralphd(...run, '--verify', piped);
  expect(refused.code).not.toBe(0);
  expect(factsOf(idle, 'gate.finished')).toMatchObject([{ checks: [{ command: piped, verdict: 'failed' }] }]);
  expect(idle.read('test.log')).toContain('fail 3');
  const working = projectWithTests('work');
  expect(await working.ralphd(...run, '--verify', piped)).toMatchObject({ code: 0 });
});

test.each([
  ['npm test || true', 'npm test'],
  ['npm test; echo x', 'npm test && echo x'],
])('R6: "%s" is refused before anything is created, and the corrected line works', async (line, corrected) => {
  const project = projectWithTests('work');
  const refused = await project.ralphd(...run, '--verify', line);
  expect(endLine(refused)).toMatchObject({ type: 'error', code: 'CHECK_CANNOT_FAIL', exitCode: 78 });
  expect(endLine(refused)['hint']).toBe(`Use this line instead: ${corrected}`);
  expect(project.has('.ralph')).toBe(false);
  const idle = projectWithTests('nothing');
  expect((await idle.ralphd(...run, '--verify', corrected)).code).not.toBe(0);
  expect(await project.ralphd(...run, '--verify', corrected)).toMatchObject({ code: 0 });
});

test('R6: a package script that hides the exit code is named in a warning and in the first fact', async () => {
  const project = projectWithTests('work');
  project.write('package.json', '{"name":"x","type":"module","scripts":{"test":"node --test || true"}}');
  await project.ralphd(...run, '--verify', 'npm test');
  expect(factsOf(project, 'loop.started')).toMatchObject([{ masked: ['package.json#scripts.test'] }]);
});

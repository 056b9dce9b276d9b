import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createProject, endLine, factsOf, type Project } from '../support/project.ts';

const run = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--json', '-n', '1'];

/** A project with real npm and three real tests; its agent claims completion, and does the work only on request. */
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
  expect(endLine(refused)['hint']).toBe(`Use this instead: ${corrected}`);
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

test('R6: a check whose helper was edited proves nothing, and the work that it imports may change', async () => {
  const files = {
    'ci/accept.mjs': "import { holds } from './rules.mjs';\nprocess.exit(holds() ? 0 : 1);\n",
    'ci/rules.mjs': "import { value } from '../src/value.mjs';\nexport const holds = () => value === 1;\n",
    'src/value.mjs': 'export const value = 0;\n',
  };
  const outcomeOf = async (edit: string) => {
    const project = createProject();
    for (const folder of ['ci', 'src']) mkdirSync(path.join(project.folder, folder));
    for (const [name, text] of Object.entries(files)) project.write(name, text);
    project.script('agent.sh', 'cat > /dev/null', edit, 'echo "<promise>DONE</promise>"');
    const ended = await project.ralphd(...run, '--verify', 'CHECK=ci/accept.mjs; node "$CHECK"');
    return { code: ended.code, gate: factsOf(project, 'gate.finished').at(-1) };
  };
  const cheated = await outcomeOf("echo 'export const holds = () => true;' > ci/rules.mjs");
  expect(cheated.code).not.toBe(0);
  expect(cheated.gate).toMatchObject({ tampered: ['ci/rules.mjs'] });
  expect(await outcomeOf("echo 'export const value = 1;' > src/value.mjs")).toMatchObject({ code: 0 });
});

test('R6: a test that is cut off by a real "head" fails with a note that says why', async () => {
  const project = createProject();
  project.write('check-all.sh', 'i=0\nwhile [ $i -lt 50000 ]; do echo "line $i"; i=$((i + 1)); done\n');
  project.script('agent.sh', 'cat > /dev/null', 'echo work >> notes', 'echo "<promise>DONE</promise>"');
  const line = 'sh check-all.sh | head -n 1';
  expect((await project.ralphd(...run, '--verify', line)).code).not.toBe(0);
  const [gate] = factsOf(project, 'gate.finished');
  expect(gate).toMatchObject({ checks: [{ command: line, verdict: 'failed', exitCode: 141 }] });
  expect(JSON.stringify(gate)).toContain('closed the pipe early');
});

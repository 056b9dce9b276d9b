import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, usual, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, type Ended, endLine, loopIds, type Project } from '../support/project.ts';
import { makeReadOnly } from '../support/small-disk.ts';

const agent = ['--agent', 'command', '--agent-command', './agent.sh'];

function preparedProject(): Project {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  return project;
}

/** Nothing was created, stdout holds one JSON object, and stderr says what, why and what next. */
function expectRefusal(
  project: Project,
  ended: Ended,
  expected: { readonly exit: number; readonly code: string },
): void {
  const line = endLine(ended);
  expect(Object.keys(line)).toEqual(['type', 'code', 'message', 'hint', 'exitCode']);
  expect(line).toMatchObject({ type: 'error', code: expected.code, exitCode: expected.exit });
  expect(ended.code).toBe(expected.exit);
  expect(ended.stderr).toContain(`ralphd: ${String(line['message'])}\n  next: ${String(line['hint'])}\n`);
  expect(ended.stderr).not.toMatch(/\n\s+at /);
  expect(project.has('.ralph')).toBe(false);
  expect(project.has('heard')).toBe(false);
}

test.each([
  ['nothing to verify', ['run', 'x', ...agent], 78, 'NOTHING_TO_VERIFY'],
  ['an unknown flag', runOf('--max-iteration', '5'), 64, 'UNKNOWN_FLAG'],
])('%s is refused before anything is created', async (_what, args, exit, code) => {
  const project = preparedProject();
  const json = args.includes('--json') ? [] : ['--json'];
  expectRefusal(project, await project.ralphd(...args, ...json), { exit, code });
});

test.skipIf(process.getuid?.() === 0)(
  'A055: a prompt file that may not be read is refused with its path and cause',
  async () => {
    const project = preparedProject();
    project.write('secret.md', 'x');
    chmodSync(path.join(project.folder, 'secret.md'), 0o000);
    const ended = await project.ralphd('run', '-P', 'secret.md', ...usual, '--json');
    expectRefusal(project, ended, { exit: 78, code: 'PROMPT_UNREADABLE' });
    expect(endLine(ended)['message']).toMatch(/secret\.md cannot be read: permission is denied/);
  },
);

test('A055: a missing prompt file is named with its path and cause', async () => {
  const project = preparedProject();
  const ended = await project.ralphd('run', '-P', 'missing.md', ...usual, '--json');
  const file = path.join(project.folder, 'missing.md');
  expect(endLine(ended)['message']).toBe(`The prompt file ${file} cannot be read: there is no such file.`);
});

test('an agent that is not executable is named with the command that makes it so', async () => {
  const project = preparedProject();
  project.write('data.txt', 'no program');
  const file = path.join(project.folder, 'data.txt');
  expect(endLine(await project.ralphd(...runOf('--agent-command', './data.txt')))).toMatchObject({
    message: `The agent's program ${file} is not executable.`,
    hint: `If it is the right program, run: chmod +x '${file}'`,
  });
});

test('an unknown flag is answered with the nearest one', async () => {
  const project = preparedProject();
  expect((await project.ralphd('run', 'x', '--agnt', 'command')).stderr).toBe(
    'ralphd: Unknown option --agnt.\n  next: Did you mean --agent?\n  code: UNKNOWN_FLAG\n',
  );
});

test('an unknown key of ralphd.yml is refused with its place and the nearest one', async () => {
  const project = preparedProject();
  project.write('ralphd.yml', 'maxIteration: 5\n');
  const ended = await project.ralphd(...runOf());
  expectRefusal(project, ended, { exit: 78, code: 'CONFIG_UNKNOWN_KEY' });
  expect(endLine(ended)).toMatchObject({ hint: 'Did you mean "maxIterations"?' });
});

test('a project that cannot be written to gets no loop, and the error names the way out', async (context) => {
  const project = preparedProject();
  if (!makeReadOnly(project)) context.skip('a folder cannot be made read-only here');
  const { stderr, code } = await project.ralphd('run', 'x', ...usual);
  expect(code).toBe(78);
  expect(stderr).toMatch(
    /The state folder \S.*\.ralph cannot be used: .+\. Nothing was created\.\n {2}next: .*--state-dir/,
  );
  expect(loopIds(project)).toEqual([]);
  const elsewhere = await project.ralphd(...runOf('-n', '1', '--state-dir', '../state'));
  expect(endLine(elsewhere)).toMatchObject({ reason: 'max_iterations', iterations: 1 });
});

test('two loops may not have one name', async () => {
  const project = preparedProject();
  await project.ralphd(...runOf('--loop-id', 'ralph-mine-0a1b2c3d'));
  const again = await project.ralphd(...runOf('--loop-id', 'ralph-mine-0a1b2c3d'));
  expect(again.code).toBe(64);
  expect(endLine(again)).toMatchObject({ code: 'LOOP_EXISTS' });
  expect(loopIds(project)).toEqual(['ralph-mine-0a1b2c3d']);
});

test('a state folder that is a symbolic link is refused, and nothing is written through it', async () => {
  const project = preparedProject();
  mkdirSync(path.join(project.folder, 'elsewhere'));
  symlinkSync('elsewhere', path.join(project.folder, '.ralph'));
  const ended = await project.ralphd(...runOf());
  expect(ended.code).toBe(78);
  expect(endLine(ended)).toMatchObject({ code: 'UNSAFE_PATH' });
  expect(project.has('elsewhere/loops')).toBe(false);
});

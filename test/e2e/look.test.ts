import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, usual, writeBusyAgent, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, jsonLines, loopIds, type Project, withoutDurations } from '../support/project.ts';

async function projectWithLoops(): Promise<Project> {
  const project = createProject();
  writeCheck(project);
  writeBusyAgent(project);
  await project.ralphd(...runOf('-n', '1', '--loop-id', 'ralph-fix-tests-aaaa0001'));
  writeHonestAgent(project);
  await project.ralphd('run', 'Write the docs', ...usual, '--json', '--loop-id', 'ralph-fix-docs-bbbb0002');
  return project;
}

test('A173 A174: status shows a loop by id, by a unique beginning, by the end of its id and by its UUID', async () => {
  const project = await projectWithLoops();
  const object = async (...args: readonly string[]) =>
    jsonLines((await project.ralphd('status', ...args, '--json')).stdout);
  const [docs] = await object('ralph-fix-docs-bbbb0002');
  expect(docs).toMatchObject({ loopId: 'ralph-fix-docs-bbbb0002', status: 'completed', verified: true, owner: null });
  for (const query of ['fix-d', 'ralph-fix-docs', 'bbbb', String(docs?.['uuid']), `loop_${String(docs?.['uuid'])}`]) {
    expect(await object(query)).toEqual([docs]);
  }
});

test('an ambiguous prefix is refused with every loop that it matches', async () => {
  const project = await projectWithLoops();
  const ambiguous = await project.ralphd('status', 'fix');
  expect(ambiguous).toMatchObject({ code: 64, stdout: '' });
  expect(ambiguous.stderr).toContain('matches more than one loop: ralph-fix-docs-bbbb0002, ralph-fix-tests-aaaa0001.');
  const missing = await project.ralphd('resume');
  expect(missing.code).toBe(64);
  expect(missing.stderr).toContain('LOOP_NOT_GIVEN');
});

test('a command that only reads shows the newest loop when all have ended and no id is given', async () => {
  const project = await projectWithLoops();
  const [status] = jsonLines((await project.ralphd('status', '--json')).stdout);
  const [report] = jsonLines((await project.ralphd('report', '--json')).stdout);
  const newest = 'ralph-fix-docs-bbbb0002';
  expect([status?.['loopId'], report?.['loop']]).toEqual([newest, expect.objectContaining({ id: newest })]);
});

test('status tells a person what a loop did, why it stopped and how near each rule was', async () => {
  const project = await projectWithLoops();
  const { stdout, stderr } = await project.ralphd('status', 'aaaa');
  expect(stderr).toBe('');
  expect(withoutDurations(stdout)).toMatchInlineSnapshot(`
    "ralph-fix-tests-aaaa0001
      status    failed
      why       max_iterations: 1 of 1 iterations
      iteration 1 of 1, 1 with progress, 0 failed
      progress  0.20 of 1 on average over the last five iterations
      time      0.1s
      used      unknown: the agent does not report it
      task      x
      state     .ralph/loops/ralph-fix-tests-aaaa0001
      next      ralphd explain ralph-fix-tests-aaaa0001

      stop rules at the end
      max_iterations     ████████  1 of 1 iterations
      same_error         ········  0 of 3 iterations in a row failed with the same error
      iteration_failures ········  0 of 5 iterations in a row failed
      test_failures      ········  0 of 3 changes in a row made no failing test pass
      no_progress        ········  0 of 5 iterations in a row made no progress
    "
  `);
});

test('ls shows every loop, the oldest first, as text and as one object', async () => {
  const project = await projectWithLoops();
  const text = await project.ralphd('ls');
  expect(text.stderr).toBe('');
  expect(text.stdout.split('\n').map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'WHEN'))).toEqual([
    'loop                      status     iterations  started           next stop       task',
    'ralph-fix-tests-aaaa0001  failed            1/1  WHEN  max_iterations  x',
    'ralph-fix-docs-bbbb0002   completed       1/100  WHEN                  Write the docs',
    '',
  ]);
  const [object] = jsonLines((await project.ralphd('ls', '--json')).stdout);
  expect(object).toMatchObject({
    loops: [
      { loopId: 'ralph-fix-tests-aaaa0001', status: 'failed', reason: 'max_iterations', iteration: 1, verified: false },
      { loopId: 'ralph-fix-docs-bbbb0002', status: 'completed', reason: 'completed', verified: true },
    ],
    unreadable: [],
  });
});

test('a loop that cannot be read is named and does not hide the others', async () => {
  const project = await projectWithLoops();
  const journal = path.join(project.folder, '.ralph/loops/ralph-fix-tests-aaaa0001/journal');
  rmSync(journal, { recursive: true });
  symlinkSync(project.folder, journal);
  const text = await project.ralphd('ls');
  expect(text.code).toBe(0);
  expect(text.stdout).toContain('ralph-fix-docs-bbbb0002');
  expect(text.stderr).toContain('ralph-fix-tests-aaaa0001: ');
  const [object] = jsonLines((await project.ralphd('ls', '--json')).stdout);
  expect(object).toMatchObject({
    loops: [{ loopId: 'ralph-fix-docs-bbbb0002' }],
    unreadable: [{ loopId: 'ralph-fix-tests-aaaa0001', error: 'UNSAFE_PATH' }],
  });
});

test('ls and status in a project without loops create nothing', async () => {
  const project = createProject();
  expect(await project.ralphd('ls')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'No loops here. Start one: ralphd run "TASK" --verify CMD\n',
  });
  expect(jsonLines((await project.ralphd('ls', '--json')).stdout)).toEqual([{ loops: [], unreadable: [], lost: [] }]);
  expect((await project.ralphd('status')).code).toBe(64);
  expect(project.has('.ralph')).toBe(false);
});

test('R12 A143: another state folder holds the loops of its own', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  expect((await project.ralphd(...runOf('--state-dir', '.aiwg/ralph'))).code).toBe(0);
  expect(loopIds(project)).toEqual([]);
  expect((await project.ralphd('ls', '--state-dir', '.aiwg/ralph')).stdout).toContain('completed');
  expect(project.read('.aiwg/ralph/.gitignore')).toBe('*\n');
});

test('help and version are on stdout and name every command', async () => {
  const project = createProject();
  const help = await project.ralphd('--help');
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toContain('ralphd COMMAND [OPTIONS]');
  expect(await project.ralphd('--version')).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  expect((await project.ralphd('run', '--help')).stdout).toContain('--max-iterations N');
  expect((await project.ralphd()).stdout).toBe(help.stdout);
});

import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, writeBusyAgent, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { ask, onlyId, pathIn, pausedProject } from '../support/loop-files.ts';
import { createProject, type Ended, endLine, follow, jsonLines, loopIds, type Project } from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';

/** Runs a command in a folder of the project. */
async function below(project: Project, folder: string, ...args: readonly string[]): Promise<Ended> {
  const cwd = path.join(project.folder, folder);
  mkdirSync(cwd, { recursive: true });
  return await follow(spawn(process.execPath, [launcher, ...args], { cwd, env: project.env })).ended;
}

test('commands work from any folder below the project, up to the top of its git work tree', async () => {
  const project = await pausedProject(1);
  const id = onlyId(project);
  const [status] = jsonLines((await below(project, 'src/deep', 'status', '--json')).stdout);
  expect(status).toMatchObject({ loopId: id, status: 'paused' });
  const raised = await below(project, 'src/deep', 'resume', '-n', '2', '--json');
  expect(endLine(raised)).toMatchObject({ loopId: id, status: 'paused', iterations: 2 });
  mkdirSync(path.join(project.folder, 'vendor/.git'), { recursive: true });
  expect(endLine(await below(project, 'vendor/lib', 'status', '--json'))).toMatchObject({ code: 'NO_LOOPS' });
  expect(project.has('src/deep/.ralph')).toBe(false);
});

test('a state folder of another program above is passed over', async () => {
  const project = createProject();
  mkdirSync(path.join(project.folder, '.ralph/loops/theirs'), { recursive: true });
  expect(endLine(await below(project, 'src', 'status', '--json'))).toMatchObject({
    code: 'NO_LOOPS',
    message: expect.stringContaining(path.join('src', '.ralph')) as string,
  });
});

test('A173: ls --all lists the loops of all projects of this user, and leaves out those that are gone', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  await project.ralphd(...runOf('--state-dir', 'one/.ralph'));
  await project.ralphd(...runOf('--state-dir', 'two/.ralph'));
  const both = await ask(project, 'ls', '--all');
  const inside = (name: string) => path.join(project.folder, name);
  expect(both).toMatchObject({
    projects: expect.arrayContaining([
      expect.objectContaining({ project: project.folder, stateDir: inside('one/.ralph') }),
      expect.objectContaining({ project: project.folder, stateDir: inside('two/.ralph') }),
    ]) as unknown[],
  });
  rmSync(inside('one'), { recursive: true });
  const left = await project.ralphd('ls', '--all');
  expect(left.stdout.split('\n')[0]).toBe(project.folder);
  expect(left.stdout.match(/completed/g)).toHaveLength(1);
});

test('a paused loop whose state folder was deleted is named by ls, status, recover and doctor, and resume puts it back', async () => {
  const project = await pausedProject(1);
  const id = onlyId(project);
  rmSync(path.join(project.folder, '.ralph'), { recursive: true });
  const listed = await project.ralphd('ls');
  expect(listed.stderr).toContain(`${id}: its folder is gone. Restore it: ralphd resume ${id}`);
  expect(await ask(project, 'ls')).toMatchObject({ loops: [], lost: [id] });
  for (const command of ['status', 'recover']) {
    const said = await project.ralphd(command, '--json');
    expect(endLine(said)).toMatchObject({
      code: 'LOOP_FOLDER_GONE',
      hint: expect.stringContaining(`ralphd resume ${id}`) as string,
    });
  }
  const [found] = jsonLines((await project.ralphd('doctor', '--json')).stdout);
  expect(found).toMatchObject({ ok: false, findings: [{ fix: expect.stringContaining(`resume ${id}`) as string }] });
  expect(loopIds(project)).toEqual([]);
  expect(endLine(await project.ralphd('resume', id.slice(-8), '-n', '2', '--json'))).toMatchObject({ iterations: 2 });
  expect(await ask(project, 'ls')).toMatchObject({ loops: [{ loopId: id }], lost: [] });
});

test('a resume, which status suggests, restores a loop whose journal was deleted', async () => {
  const project = await pausedProject(1);
  rmSync(pathIn(project, 'journal'), { recursive: true });
  const status = await project.ralphd('status');
  expect(status.stdout + status.stderr).toContain(`ralphd resume ${onlyId(project)}`);
  const ended = await project.ralphd('resume', onlyId(project), '-n', '2', '--json');
  expect(endLine(ended), ended.stderr).toMatchObject({ status: 'paused', iterations: 2 });
});

test('a name means the newest loop of that name in every command', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  const first = endLine(await project.ralphd(...runOf('-n', '1', '--loop-id', 'nightly')));
  const second = endLine(await project.ralphd(...runOf('-n', '1', '--loop-id', 'nightly')));
  expect(first['loopId']).not.toBe(second['loopId']);
  expect(await ask(project, 'status', 'nightly')).toMatchObject({ loopId: second['loopId'] });
  expect(await ask(project, 'explain', 'nightly')).toMatchObject({ loopId: second['loopId'] });
  expect(endLine(await project.ralphd('rm', 'nightly', '--json'))).toMatchObject({ code: 'LOOP_AMBIGUOUS' });
});

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, runsOf, usual, writeCheck, writeSteppedAgent } from '../support/agents.ts';
import { ask, onlyId, readJson } from '../support/loop-files.ts';
import { createProject, endLine, eventually, factsOf, jsonLines, type Project } from '../support/project.ts';
import { startUnit, unitFolder, writeSystemctl } from '../support/unit-file.ts';

interface Restartable {
  readonly project: Project;
  readonly unit: string;
  readonly link: string;
  readonly calls: () => string;
  readonly answer: Record<string, unknown>;
}

/** A loop in the background that is to survive a reboot, with its agent at work. */
async function startRestartable(env: NodeJS.ProcessEnv = {}): Promise<Restartable> {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const { PATH, calls } = writeSystemctl(project);
  const ended = await project.ralphdWith({ PATH, ...env }, runOf('--detach', '--restart'));
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  await eventually(() => runsOf(project)).toBe(1);
  await eventually(() => factsOf(project, 'agent.started')).toHaveLength(1);
  const name = `ralphd-${onlyId(project)}.service`;
  const folder = unitFolder(project);
  const [answer = {}] = jsonLines(ended.stdout);
  return {
    project,
    unit: path.join(folder, name),
    link: path.join(folder, 'default.target.wants', name),
    calls,
    answer,
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

/** As a reboot does. */
async function killEverything(project: Project): Promise<void> {
  await eventually(() => {
    for (const pid of project.processes()) kill(pid);
    return project.processes();
  }).toEqual([]);
}

function letGo(project: Project, run: number): void {
  project.write('finish', '');
  project.write(`go-${run}`, '');
}

test('B113: after everything was killed, the unit resumes the loop, which removes the unit at its end', async () => {
  const { project, unit, link, calls, answer } = await startRestartable({ MY_API_KEY: 'hunter2-hunter2' });
  const name = path.basename(unit);
  expect(calls()).toBe(`--user daemon-reload\n--user enable ${name}\n`);
  expect(answer).toMatchObject({ restart: { file: unit, withheld: ['MY_API_KEY'] } });
  expect(answer['restart']).not.toHaveProperty('toDo');
  expect(statSync(unit).mode & 0o777).toBe(0o600);
  expect(readFileSync(unit, 'utf8')).not.toContain('hunter2');

  await killEverything(project);
  // A process that was killed counts until the system has put it away.
  await eventually(async () => (await ask(project, 'status'))['status']).toBe('crashed');
  const restarted = startUnit(project, unit);
  await eventually(() => runsOf(project)).toBe(2);
  letGo(project, 2);
  expect(await restarted.ended).toMatchObject({ code: 0 });
  expect(readJson(project, 'state.json')).toMatchObject({ status: 'completed', iteration: 1 });
  expect([existsSync(unit), existsSync(link)]).toEqual([false, false]);
  expect(calls()).toBe(`--user daemon-reload\n--user enable ${name}\n--user daemon-reload\n`);
  await eventually(() => project.processes()).toEqual([]);
});

test('a system that shuts down interrupts the loop, and its unit resumes it', async () => {
  const { project, unit, answer } = await startRestartable();
  process.kill(Number(answer['pid']), 'SIGTERM');
  await eventually(() => project.processes()).toEqual([]);
  expect(readJson(project, 'state.json')).toMatchObject({ status: 'paused', ralphd: { reason: 'interrupted' } });
  const restarted = startUnit(project, unit);
  await eventually(() => runsOf(project)).toBe(2);
  letGo(project, 2);
  expect(await restarted.ended).toMatchObject({ code: 0 });
  expect(readJson(project, 'state.json')).toMatchObject({ status: 'completed' });
});

test('a unit does not resume a loop that a person paused or interrupted, that already runs, or that has ended', async () => {
  const { project, unit, answer } = await startRestartable();
  const id = onlyId(project);
  const leftAlone = async (why: string) =>
    expect(await startUnit(project, unit).ended).toMatchObject({ code: 0, stderr: `${id} was not resumed: ${why}.\n` });
  await leftAlone(`process ${String(answer['pid'])} runs it`);
  process.kill(Number(answer['pid']), 'SIGINT');
  await eventually(() => project.processes()).toEqual([]);
  await leftAlone('a person interrupted it');

  const resumed = project.begin(['resume', '--json']);
  await eventually(() => runsOf(project)).toBe(2);
  expect((await project.ralphd('pause', '--now')).code).toBe(0);
  expect(endLine(await resumed.ended)).toMatchObject({ reason: 'user_pause' });
  await leftAlone('it is paused (user_pause)');
  expect(existsSync(unit)).toBe(true);

  const text = readFileSync(unit, 'utf8');
  expect((await project.ralphd('abort')).code).toBe(0);
  expect(existsSync(unit)).toBe(false);
  writeFileSync(unit, text);
  await leftAlone('it is aborted');
  expect(existsSync(unit)).toBe(false);
});

test('a unit of a loop with the same name in another project is left unchanged, and the error says that the loop runs', async () => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const unit = path.join(unitFolder(project), 'ralphd-ralph-x-a1b2c3d4.service');
  mkdirSync(unitFolder(project), { recursive: true });
  writeFileSync(unit, 'of another project');
  const ended = await project.ralphd(...runOf('--detach', '--restart', '--loop-id', 'ralph-x-a1b2c3d4'));
  expect(endLine(ended)).toMatchObject({
    code: 'RESTART_TAKEN',
    message: expect.stringContaining('The loop runs, but'),
  });
  expect(readFileSync(unit, 'utf8')).toBe('of another project');
  expect((await project.ralphd('stop')).code).toBe(0);
  await eventually(() => project.processes()).toEqual([]);
  expect(existsSync(unit)).toBe(true);
});

test('a unit that was left behind is named by doctor and removed by gc, and one of another project is not', async () => {
  const { project, unit } = await startRestartable();
  expect((await ask(project, 'doctor'))['findings']).toEqual([]);
  const text = readFileSync(unit, 'utf8');
  const other = unit.replace(/ralphd-ralph-x-/, 'ralphd-ralph-y-');
  expect((await project.ralphd('abort')).code).toBe(0);
  await eventually(() => project.processes()).toEqual([]);
  writeFileSync(unit, text);
  writeFileSync(other, text.replaceAll(project.folder, '/elsewhere'));
  expect((await ask(project, 'doctor'))['findings']).toMatchObject([{ level: 'note', where: unit }]);
  expect(await ask(project, 'gc', '--dry-run')).toMatchObject({ removed: [{ path: unit }] });
  expect(existsSync(unit)).toBe(true);
  expect(await ask(project, 'gc')).toMatchObject({ removed: [{ path: unit }] });
  expect([existsSync(unit), existsSync(other)]).toEqual([false, true]);
});

test('a loop that is removed takes its unit with it', async () => {
  const { project, unit, link } = await startRestartable();
  expect((await project.ralphd('rm', onlyId(project), '--force')).code).toBe(0);
  expect([existsSync(unit), existsSync(link)]).toEqual([false, false]);
  await eventually(() => project.processes()).toEqual([]);
});

test('if systemd cannot be reached, the user learns what was written and which command to run', async () => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const { PATH } = writeSystemctl(project, 'Failed to connect to bus');
  const args = ['run', 'x', ...usual, '--detach', '--restart', '--loop-id', 'ralph-x-a1b2c3d4'];
  const ended = await project.ralphdWith({ PATH }, args);
  const unit = path.join(unitFolder(project), 'ralphd-ralph-x-a1b2c3d4.service');
  expect(ended.code).toBe(0);
  expect(ended.stdout).toContain(`restart ${unit}\n`);
  expect(ended.stderr).toBe(
    '! The restart is prepared, but not enabled (Failed to connect to bus). Run: systemctl --user enable ralphd-ralph-x-a1b2c3d4.service\n' +
      '! After a reboot the loop continues when you log in. To start it at boot: loginctl enable-linger\n',
  );
  expect(existsSync(unit)).toBe(true);
  expect((await project.ralphd('stop')).code).toBe(0);
  await eventually(() => project.processes()).toEqual([]);
  expect(existsSync(unit)).toBe(false);
});

test.each([
  ['without --detach', [], {}, 64, 'OPTION_NEEDS_OPTION'],
  ['without a home', ['--detach'], { HOME: '' }, 78, 'RESTART_UNSUPPORTED'],
] as const)('--restart %s is refused before anything is created', async (_what, more, env, exit, code) => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const refused = await project.ralphdWith(env, runOf('--restart', ...more));
  expect(endLine(refused)).toMatchObject({ type: 'error', code, exitCode: exit });
  expect(project.has('.ralph')).toBe(false);
});

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, writeBusyAgent, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { onlyId, readJson, writeWaitingAgent } from '../support/loop-files.ts';
import {
  createProject,
  endLine,
  eventually,
  follow,
  journalOf,
  jsonLines,
  loopIds,
  type Project,
} from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';

async function liveProject(): Promise<Project> {
  const project = createProject();
  writeWaitingAgent(project);
  writeCheck(project);
  project.start(runOf('-n', '5'));
  await eventually(() => project.has('started')).toBe(true);
  return project;
}

function ownerOf(project: Project): number {
  return Number(readJson(project, 'owner.json')['pid']);
}

/** Everything that is kept for loops outside of the project. */
function keptFor(project: Project, loopId: string): readonly string[] {
  const own = path.join(path.dirname(project.folder), '.local/state/ralphd');
  if (!existsSync(own)) return [];
  return readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes(loopId));
}

test('a loop whose owner is frozen is taken over by force alone, and its owner is ended first', async () => {
  const project = await liveProject();
  const pid = ownerOf(project);
  process.kill(pid, 'SIGSTOP');
  const refused = await project.ralphd('resume', '--json');
  expect(refused.code).toBe(6);
  expect(endLine(refused)).toMatchObject({
    code: 'LOOP_LOCKED',
    hint: expect.stringContaining(`ralphd resume ${onlyId(project)} --force`) as string,
  });
  project.write('go', '');
  const ended = await project.ralphd('resume', '--force', '--json');
  expect(endLine(ended), ended.stderr).toMatchObject({ status: 'completed', verified: true, exitCode: 0 });
  expect(ended.stderr).toContain(`Process ${pid}, which was running loop ${onlyId(project)}, was ended.`);
  await eventually(() => project.processes()).toEqual([]);
});

test('a loop whose agent outlived its owner cannot switch to another agent, and continues with its own', async () => {
  const project = await liveProject();
  process.kill(ownerOf(project), 'SIGKILL');
  await eventually(() =>
    project.ralphd('status', '--json').then(({ stdout }) => jsonLines(stdout)[0]?.['status']),
  ).toBe('crashed');
  project.script('other.sh', 'touch done', 'echo "<promise>DONE</promise>"');
  const before = journalOf(project);
  const refused = await project.ralphd('resume', '--agent-command', './other.sh', '--json');
  expect(endLine(refused)).toMatchObject({
    code: 'AGENT_UNDER_WAY',
    exitCode: 64,
    hint: expect.stringContaining(`ralphd pause ${onlyId(project)}`) as string,
  });
  expect(journalOf(project)).toEqual(before);
  project.write('go', '');
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ status: 'completed', iterations: 1 });
});

test('an owner that belongs to another user is not ended, and the loop stays unchanged', async (context) => {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/setpriv')) context.skip('no other user can be taken here');
  const project = await liveProject();
  // Nothing is written any more until the agent ends.
  await eventually(() => JSON.stringify(readJson(project, 'state.json'))).toContain('"stage":"executing"');
  const home = path.dirname(project.folder);
  execFileSync('chown', ['-R', '65534:65534', home]);
  const asAnother = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, launcher];
  for (const args of [
    ['resume', '--force'],
    ['rm', onlyId(project), '--force'],
  ]) {
    const child = spawn('/usr/bin/setpriv', [...asAnother, ...args, '--json'], {
      cwd: project.folder,
      env: project.env,
    });
    const ended = await follow(child).ended;
    expect(endLine(ended), ended.stdout).toMatchObject({
      code: 'OWNER_NOT_ENDED',
      exitCode: 6,
    });
  }
  expect(loopIds(project)).toHaveLength(1);
  project.write('go', '');
  await eventually(() => readJson(project, 'state.json')['status']).toBe('completed');
});

test('an ended loop is removed with everything stored for it, and other loops stay', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  await project.ralphd(...runOf('-n', '1'));
  const first = onlyId(project);
  project.write('ralphd.yml', 'onLimit: pause\n');
  const other = String(endLine(await project.ralphd(...runOf('-n', '1')))['loopId']);
  const removed = await project.ralphd('rm', first, '--json');
  expect(removed.code, removed.stdout).toBe(0);
  expect(jsonLines(removed.stdout)).toMatchObject([{ loopId: first, ended: [] }]);
  expect(loopIds(project)).toEqual([other]);
  expect(keptFor(project, first)).toEqual([]);
  const refused = await project.ralphd('rm', other, '--json');
  expect(refused.code).toBe(64);
  expect(endLine(refused)).toMatchObject({ code: 'REMOVAL_REFUSED' });
  expect(keptFor(project, other)).not.toEqual([]);
  const forced = await project.ralphd('rm', other, '--force');
  expect(forced.stdout).toContain(`removed: .ralph/loops/${other}\n`);
  expect(loopIds(project)).toEqual([]);
  expect(keptFor(project, other)).toEqual([]);
  expect(project.read('work')).toBe('more\nmore\n');
});

test('a live loop is removed only by force, which ends its owner and its agent', async () => {
  const project = await liveProject();
  const refused = await project.ralphd('rm', onlyId(project), '--json');
  expect(endLine(refused)).toMatchObject({ code: 'LOOP_LOCKED', exitCode: 6 });
  const forced = await project.ralphd('rm', onlyId(project), '--force', '--json');
  expect(forced.code, forced.stdout).toBe(0);
  expect(loopIds(project)).toEqual([]);
  await eventually(() => project.processes()).toEqual([]);
});

test('rm needs an id and removes nothing that is not a loop', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  await project.ralphd(...runOf());
  for (const id of ['../..', '.', 'ralph-nobody-00000000', '']) {
    expect((await project.ralphd('rm', id, '--force', '--json')).code).toBe(64);
  }
  expect(loopIds(project)).toHaveLength(1);
});

test('R22: damaged state is discarded only on request: it is set aside, not deleted, and the loop starts over', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', 'onLimit: pause\n');
  const run = runOf('-n', '1', '--loop-id', 'ralph-fix-aaaa0001');
  await project.ralphd(...run);
  const folder = path.join(project.folder, '.ralph/loops/ralph-fix-aaaa0001');
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (name.isFile() && name.name !== 'lock') writeFileSync(path.join(name.parentPath, name.name), 'damaged');
  }
  expect(endLine(await project.ralphd(...run))).toMatchObject({ type: 'error' });
  const fresh = await project.ralphd(...run, '--discard-state');
  expect(endLine(fresh), fresh.stderr).toMatchObject({ status: 'paused', iterations: 1 });
  expect(fresh.stderr).toContain('The earlier state of this loop was set aside');
  const aside = loopIds(project).find((name) => name.endsWith('.discarded'));
  expect(project.read(`.ralph/loops/${aside}/state.json`)).toBe('damaged');
  expect(await project.ralphd('resume', '-n', '2')).toMatchObject({ code: 2 });
});

test('R22: the state of a running loop is never discarded', async () => {
  const project = createProject();
  writeWaitingAgent(project);
  writeCheck(project);
  const run = runOf('--loop-id', 'ralph-fix-aaaa0001');
  const running = project.begin(run);
  await eventually(() => project.has('started')).toBe(true);
  expect(endLine(await project.ralphd(...run, '--discard-state'))).toMatchObject({ code: 'LOOP_LOCKED' });
  project.write('go', '');
  expect((await running.ended).code).toBe(0);
});

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findLoop, sendToLoop } from '../../src/app/index.ts';
import { runOf, runsOf, usual, writeCheck, writeHonestAgent, writeSteppedAgent } from '../support/agents.ts';
import { createProject, endLine, eventually, factsOf, loopIds, type Project } from '../support/project.ts';

function preparedProject(): Project {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  return project;
}

test('a working directory that does not exist is refused', async () => {
  const project = preparedProject();
  project.write('ralphd.yml', 'workingDir: nowhere\n');
  const ended = await project.ralphd(...runOf());
  expect(endLine(ended)).toMatchObject({ code: 'WORKING_DIR_MISSING', exitCode: 78 });
  expect(project.has('nowhere')).toBe(false);
});

test('protected files that git cannot store are refused with what git reports', async () => {
  const project = preparedProject();
  execFileSync('git', ['init', '-q'], { cwd: project.folder, env: project.env });
  project.write('.git/refs/ralphd', 'in the way\n');
  project.write('ralphd.yml', 'protect: strict\n');
  const ended = await project.ralphd(...runOf());
  expect(endLine(ended)).toMatchObject({ code: 'PROTECTED_NOT_KEPT', exitCode: 78 });
  expect(project.has('.ralph')).toBe(false);
});

test('a loop without a checkpoint or a backup cannot be restored to the latest one', async () => {
  const project = preparedProject();
  project.write('ralphd.yml', 'onLimit: pause\n');
  await project.ralphd('run', 'x', ...usual, '--verify', 'false', '-n', '1');
  const [loopId = ''] = loopIds(project);
  for (const name of ['checkpoints', 'backups']) {
    rmSync(path.join(project.folder, '.ralph/loops', loopId, name), { recursive: true, force: true });
  }
  const ended = await project.ralphd('restore', loopId, '--from', 'latest', '--json');
  expect(endLine(ended)).toMatchObject({ code: 'NO_BACKUP', exitCode: 64 });
});

test('a command to a loop whose process is frozen stays queued, and the sender learns that', async () => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const running = project.start(runOf('-n', '1'));
  await eventually(() => runsOf(project)).toBe(1);
  running.signal('SIGSTOP');
  const place = { workingDirectory: project.folder, root: path.join(project.folder, '.ralph') };
  const context = { cwd: project.folder, env: project.env };
  const command = { id: 'pause-1', command: 'pause' } as const;
  await expect(
    sendToLoop(findLoop(place, undefined), command, { place, context, patienceMs: 100 }),
  ).rejects.toMatchObject({ code: 'COMMAND_UNANSWERED' });
  running.signal('SIGCONT');
  // Only then may the iteration end, which is the last.
  await eventually(() => factsOf(project, 'command.accepted')).toHaveLength(1);
  project.write('go-1', '');
  expect(endLine(await running.ended)).toMatchObject({ status: 'paused', reason: 'user_pause' });
});

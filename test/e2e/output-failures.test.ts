import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { runOf, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, type Ended, follow, type Project } from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';

const hasFullDevice = process.platform === 'linux';

function finishedProject(): Project {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  return project;
}

/** Runs ralphd with a standard output on which every write fails for want of space. */
async function withFullOutput(project: Project, ...args: readonly string[]): Promise<Ended> {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const options = { cwd: project.folder, env: project.env };
  return await follow(spawn(process.execPath, [launcher, ...args], { ...options, stdio: ['pipe', full, 'pipe'] }))
    .ended;
}

test.runIf(hasFullDevice)('a result that cannot be written is an error with a non-zero exit code', async () => {
  const project = finishedProject();
  for (const args of [['ls'], ['ls', '--json'], ['agents'], ['--help'], ['--version'], ['doctor']]) {
    const { code, stderr } = await withFullOutput(project, ...args);
    expect(stderr, args.join(' ')).toContain('ralphd: The result could not be written to standard output: ENOSPC');
    expect(stderr, args.join(' ')).not.toMatch(/\n\s+at /);
    expect(code, args.join(' ')).toBe(1);
  }
});

test.runIf(hasFullDevice)(
  'a loop continues although nobody can read its results, and its exit code reports it',
  async () => {
    const project = finishedProject();
    const { code, stderr } = await withFullOutput(project, ...runOf());
    expect(stderr).toContain('code: OUTPUT_NOT_WRITTEN');
    expect(code).toBe(1);
    const status = await project.ralphd('status', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({ status: 'completed', verified: true });
    const limited = await withFullOutput(project, ...runOf('-n', '1', '--verify', 'false'));
    expect(limited.code, 'the ending of the loop is worth more than the lost output').toBe(2);
  },
);

test('a reader that has enough, such as head, ends a command quietly', async () => {
  const project = finishedProject();
  for (const args of [['ls'], ['--help'], ['--version'], ['doctor', '--json']]) {
    const running = project.start(args);
    running.closeOutput();
    expect((await running.ended).code, args.join(' ')).toBe(0);
  }
});

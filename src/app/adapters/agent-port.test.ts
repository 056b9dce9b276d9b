import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { agentNamed } from '../../agents/index.ts';
import { endByMarker, findByMarker, identityOf } from '../../process/index.ts';
import { type AgentProgress, configSchema, type LoopConfigInput } from '../../protocol/index.ts';
import type { RecoverTask } from '../../runner/index.ts';
import { systemClock } from '../clock.ts';
import { createAgentPort, createLoopKeeper } from './agent-port.ts';

const key = { iteration: 1, attempt: 2 };

const budget = {};

function prepare(agentCommand: LoopConfigInput['agentCommand'], iteration: LoopConfigInput['iteration'] = {}) {
  const workingDirectory = mkdtempSync(path.join(tmpdir(), 'ralphd agent '));
  const uuid = randomUUID();
  const marker = `${uuid}/1/2`;
  onTestFinished(async () => {
    await endByMarker(marker);
    rmSync(workingDirectory, { recursive: true, force: true });
  });
  const folder = path.join(workingDirectory, 'attempt');
  mkdirSync(folder);
  const config = configSchema.parse({ agent: 'command', agentCommand, iteration });
  const files = { folderOf: () => folder };
  const env = { PATH: '/usr/bin:/bin', FORCE_COLOR: '1', CLAUDECODE: '1', MY_TOKEN: 'mine' };
  const keeper = createLoopKeeper({ uuid, env, loopId: 'ralph-x-00000000' });
  const port = createAgentPort({
    keeper,
    adapter: agentNamed('command'),
    config,
    workingDirectory,
    env,
    loopId: 'ralph-x-00000000',
    uuid,
    files,
    clock: systemClock,
  });
  const release = async () => await keeper[Symbol.asyncDispose]();
  onTestFinished(release);
  const keepPrompt = (text: string) => writeFileSync(path.join(folder, 'prompt'), text);
  const started: unknown[] = [];
  const progress: AgentProgress[] = [];
  const onProgress = (each: AgentProgress) => void progress.push(each);
  const run = async (signal = new AbortController().signal) => {
    const kill = new AbortController().signal;
    return await port.run({
      ...key,
      prompt: '',
      session: 'fresh',
      budget,
      signal,
      kill,
      onStarted: async (process) => void started.push(process),
      onProgress,
    });
  };
  const recover = async (more: Partial<RecoverTask> = {}) => {
    const { signal } = new AbortController();
    return await port.recover({ ...key, adopt: true, budget, signal, kill: signal, ...more });
  };
  return { workingDirectory, folder, marker, keepPrompt, run, recover, release, started, progress };
}

/** False where it cannot be mounted. */
function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder], { stdio: 'ignore' }));
  return true;
}

test('A052 A083: the prompt is on stdin, the output in the attempt’s folder, and what it reported in the result', async () => {
  const { keepPrompt, run, folder, started } = prepare('cat; echo careful >&2; exit 3');
  keepPrompt('- the task $&\n');
  expect(await run()).toMatchObject({
    ending: { kind: 'exited', code: 3 },
    outcome: 'unknown',
    claimText: '- the task $&\n',
    error: 'careful',
  });
  expect(readFileSync(path.join(folder, 'stdout'), 'utf8')).toBe('- the task $&\n');
  expect(readFileSync(path.join(folder, 'stderr'), 'utf8')).toBe('careful\n');
  expect(started).toMatchObject([{ pid: expect.any(Number) as number }]);
});

test('A076: the agent works in the working directory, with what the user set and without what would confuse it', async () => {
  const { keepPrompt, run, workingDirectory } = prepare('pwd > place; env > seen', { env: { MODE: 'fast' } });
  keepPrompt('x');
  await run();
  expect(readFileSync(path.join(workingDirectory, 'place'), 'utf8')).toBe(`${workingDirectory}\n`);
  const seen = readFileSync(path.join(workingDirectory, 'seen'), 'utf8').split('\n');
  expect(seen).toEqual(expect.arrayContaining(['MODE=fast', 'MY_TOKEN=mine', 'TERM=dumb', 'NO_COLOR=1']));
  expect(seen.filter((line) => /^(FORCE_COLOR|CLAUDECODE)=/.test(line))).toEqual([]);
});

test.for<[string, string]>([
  ['dies of it', 'head -c 3000000 /dev/zero'],
  ['ignores it and ends well', 'trap "" PIPE; head -c 3000000 /dev/zero 2> /dev/null; exit 0'],
])(
  'A121: a disk filled by an agent that %s is a problem of the machine, not of the agent',
  async ([, command], context) => {
    const { keepPrompt, run, folder } = prepare(command);
    if (!mountSmallDisk(folder)) context.skip('a small disk cannot be mounted here');
    keepPrompt('x');
    expect(await run()).toMatchObject({
      outcome: 'transient',
      error: 'The disk is full, so the output of the agent could not be stored. Free some space, then resume the loop.',
    });
  },
);

test('A078: an agent that outlives its time is ended as timed out', async () => {
  const { keepPrompt, run, marker } = prepare('sleep 1000', { timeout: '150ms' });
  keepPrompt('x');
  expect(await run()).toMatchObject({ ending: { kind: 'stopped', by: 'timeout' } });
  expect(findByMarker(marker)).toEqual([]);
});

test('an agent that cannot be started is a result, not an error', async () => {
  const { keepPrompt, run } = prepare(['./nobody']);
  keepPrompt('x');
  expect(await run()).toMatchObject({ ending: { kind: 'not_started', code: 'ENOENT' }, claimText: '' });
});

test('A141: recovery ends what an earlier owner left, the process it knew and what hid from it', async () => {
  const { recover, workingDirectory, marker } = prepare('true', { killGrace: '1m' });
  const env = { PATH: '/usr/bin:/bin', RALPHD_ATTEMPT: marker };
  const script = "trap 'touch asked; exit' TERM; touch ready; setsid sleep 1000 & while :; do sleep 0.05; done";
  const child = spawn('/bin/sh', ['-c', script], { cwd: workingDirectory, env, detached: true, stdio: 'ignore' });
  await expect.poll(() => existsSync(path.join(workingDirectory, 'ready'))).toBe(true);
  const process = identityOf(child.pid ?? 0);
  if (process === undefined) throw new Error('the orphan is missing');
  expect(await recover({ process })).toBeUndefined();
  expect(findByMarker(marker)).toEqual([]);
  expect(existsSync(path.join(workingDirectory, 'asked'))).toBe(true);
});

test('A141: recovery without a known process goes by the marker, and an attempt that left nothing is no problem', async () => {
  const { recover, marker } = prepare('true');
  const env = { PATH: '/usr/bin:/bin', RALPHD_ATTEMPT: marker };
  spawn('/bin/sh', ['-c', 'sleep 1000'], { env, detached: true, stdio: 'ignore' });
  await expect.poll(() => findByMarker(marker).length).toBeGreaterThan(0);
  expect(await recover()).toBeUndefined();
  expect(findByMarker(marker)).toEqual([]);
  expect(await recover()).toBeUndefined();
});

test('recovery uses the result of a run that finished while nobody was watching', async () => {
  const { keepPrompt, run, recover, release } = prepare('cat; exit 3');
  keepPrompt('the task\n');
  await run();
  await release();
  expect(await recover()).toMatchObject({
    ending: { kind: 'exited', code: 3 },
    outcome: 'unknown',
    claimText: 'the task\n',
  });
});

test('an agent that kills its keeper has not completed anything, whatever it claims', async () => {
  const { keepPrompt, run, marker } = prepare('echo "<promise>DONE</promise>"; kill -KILL $PPID; sleep 600');
  keepPrompt('x');
  expect(await run()).toMatchObject({ ending: { kind: 'lost' }, outcome: 'unknown' });
  expect(findByMarker(marker)).toEqual([]);
});

test('the output of an agent is not lost when the agent deletes it', async () => {
  const { keepPrompt, run, folder } = prepare('cat > /dev/null; echo said; rm -rf attempt; exit 0');
  keepPrompt('told');
  expect(await run()).toMatchObject({ outcome: 'completed', claimText: 'said\n' });
  expect(existsSync(folder)).toBe(false);
});

test('R19: an agent that prints more than it may is ended', async () => {
  const { keepPrompt, run } = prepare(['yes'], { maxOutput: 100_000 });
  keepPrompt('x');
  expect(await run()).toMatchObject({ ending: { kind: 'stopped', by: 'output' } });
});

test('what an agent prints is reported while it works', async () => {
  const { keepPrompt, run, workingDirectory, progress } = prepare('echo started; until [ -e go ]; do sleep 0.05; done');
  keepPrompt('x');
  const running = run();
  await expect.poll(() => progress.at(-1)?.recent.map(({ text }) => text), { timeout: 5_000 }).toEqual(['started']);
  expect(progress[0]).toMatchObject({ pid: expect.any(Number) as number, recent: [] });
  writeFileSync(path.join(workingDirectory, 'go'), '');
  await running;
});

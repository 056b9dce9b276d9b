import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readStarted, voidAttempt } from './attempt-files.ts';
import { makeReady, type Readiness, standDown } from './readiness.ts';
import { runToEnd } from './run-to-end.ts';
import { signalProcess } from './signals.ts';
import { supervise } from './supervise.ts';
import { processTable } from './table.ts';
import { findTeam } from './team.ts';
import { createAttempt } from './testing/attempt.ts';

async function prepare(command: readonly string[] | string, stdin = 'the prompt\n') {
  const attempt = createAttempt(command);
  const stdinPath = path.join(attempt.folder, 'prompt');
  const options = { ...attempt.options, stdinPath };
  const ready = (await makeReady(options)) as Readiness;
  expect(ready).toHaveProperty('keeper');
  expect(await ready.keeper.isReady()).toBe(true);
  // The prompt is written only when the agent is wanted.
  writeFileSync(stdinPath, stdin);
  return { ...attempt, options, ready };
}

const pumpsOf = (marker: string) => findTeam(marker).filter(({ name }) => name === 'cat' || name === 'busybox');

test('a keeper that is ready has started nothing; given the word, it starts the agent with the prompt of that moment', async () => {
  const { options, ready, read, left, marker, folder } = await prepare('cat; echo aside >&2; exit 3');
  expect(left()).toHaveLength(findTeam(marker).length);
  expect(existsSync(path.join(folder, 'started'))).toBe(false);
  const team = findTeam(marker).map(({ pid }) => pid);
  const run = await supervise({ ...options, ready });
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 3 }, survivors: [] });
  expect([read('stdout'), read('stderr')]).toEqual(['the prompt\n', 'aside\n']);
  expect(team).toContain(readStarted(folder)?.keeper?.pid);
});

test('a keeper that is ready ends with its ralphd, however that ends, and starts nothing', async () => {
  const { options, folder, marker, left } = createAttempt('echo ran > ran');
  const program = `
    import { makeReady } from ${JSON.stringify(path.join(import.meta.dirname, 'readiness.ts'))};
    const ready = await makeReady(${JSON.stringify(options)});
    if (!(await ready.keeper.isReady())) throw new Error('not ready');
    process.kill(process.pid, 'SIGKILL');`;
  const command = [process.execPath, '--input-type=module', '-e', program];
  const killed = await runToEnd({ command, cwd: folder, env: { PATH: '/usr/bin:/bin' } });
  expect(killed.ending, killed.output).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  await expect.poll(left).toEqual([]);
  expect(findTeam(marker)).toEqual([]);
  expect(readdirSync(folder).toSorted()).toEqual(['stderr', 'stdout']);
});

test('a keeper that is ready starts nothing for an attempt that was given up meanwhile', async () => {
  const { options, ready, folder } = await prepare('echo ran > ran');
  expect(voidAttempt(folder)).toBe(true);
  const { ending } = await supervise({ ...options, ready });
  expect(ending).toMatchObject({ kind: 'not_started', code: 'EEXIST' });
  expect(existsSync(path.join(folder, 'ran'))).toBe(false);
});

test('what was made ready and has lost a pump or its keeper is replaced before the agent starts', async () => {
  for (const victims of [(marker: string) => pumpsOf(marker).slice(0, 1), findTeam]) {
    const { options, ready, marker, stdout } = await prepare('cat');
    await expect.poll(() => pumpsOf(marker)).toHaveLength(2);
    const killed = victims(marker);
    for (const row of killed) signalProcess(row, 'SIGKILL');
    await expect.poll(() => killed.some(({ pid }) => processTable.read(pid)?.zombie === false)).toBe(false);
    expect(await supervise({ ...options, ready })).toMatchObject({ ending: { kind: 'exited', code: 0 } });
    expect(stdout()).toBe('the prompt\n');
  }
});

test('a keeper that was made ready and then stopped by somebody is woken', async () => {
  const { options, ready, marker, stdout } = await prepare('cat');
  for (const row of findTeam(marker)) signalProcess(row, 'SIGSTOP');
  await expect.poll(() => findTeam(marker).every(({ stopped }) => stopped)).toBe(true);
  expect(await supervise({ ...options, ready })).toMatchObject({ ending: { kind: 'exited', code: 0 }, survivors: [] });
  expect(stdout()).toBe('the prompt\n');
});

test('what was made ready for another command, or has been written to, does not serve', async () => {
  const other = await prepare('echo the wrong one');
  await supervise({ ...other.options, command: 'echo the right one', ready: other.ready });
  expect(other.stdout()).toBe('the right one\n');
  const touched = await prepare('echo mine');
  writeFileSync(path.join(touched.folder, 'stdout'), 'forged\n');
  const team = findTeam(touched.marker).map(({ pid }) => pid);
  await supervise({ ...touched.options, ready: touched.ready });
  expect(team).not.toContain(readStarted(touched.folder)?.keeper?.pid);
});

test('what is not wanted leaves no process and no file behind', async () => {
  const { options, folder, left } = createAttempt('true');
  const attempt = path.join(folder, '007', 'attempt-1');
  mkdirSync(attempt, { recursive: true });
  const ready = (await makeReady({ ...options, folder: attempt })) as Readiness;
  await standDown(ready);
  expect(left()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

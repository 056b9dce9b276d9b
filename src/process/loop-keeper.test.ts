import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readExit, readStarted } from './attempt-files.ts';
import { isAlive } from './identity.ts';
import { createKeeper } from './loop-keeper.ts';
import { runToEnd } from './run-to-end.ts';
import { supervise } from './supervise.ts';
import { systemTools } from './system-tools.ts';
import { processTable } from './table.ts';
import { findTeam } from './team.ts';
import { createAttempt } from './testing/attempt.ts';

const { perl } = systemTools();

/** A loop with one keeper, whose attempts have a folder each. */
function createLoop() {
  const { folder, marker, options } = createAttempt('true');
  const keeper = createKeeper({ marker: `${marker}/`, env: options.env });
  onTestFinished(async () => await keeper[Symbol.asyncDispose]());
  const attempt = (number: number, command: string) => {
    const own = path.join(folder, `attempt-${number}`);
    mkdirSync(own);
    return { ...options, command, folder: own, marker: `${marker}/${number}/1`, keeper };
  };
  const keeperOf = (number: number) => readStarted(path.join(folder, `attempt-${number}`))?.keeper;
  return { folder, marker, keeper, attempt, keeperOf };
}

test.skipIf(perl === '')(
  'all agents of a loop have the same keeper, and each its own exit, output and files',
  async () => {
    const { folder, keeper, attempt, keeperOf } = createLoop();
    for (const number of [1, 2, 3]) {
      const run = await supervise(attempt(number, `echo ${number}; exit ${number}`));
      expect(run).toMatchObject({ ending: { kind: 'exited', code: number }, survivors: [] });
      expect(run.stdout.toString()).toBe(`${number}\n`);
      expect(readExit(path.join(folder, `attempt-${number}`))?.ending).toEqual({ kind: 'exited', code: number });
    }
    const first = keeperOf(1);
    expect([keeperOf(2), keeperOf(3)]).toEqual([first, first]);
    expect(first && isAlive(first)).toBe(true);
    await keeper[Symbol.asyncDispose]();
    expect(first && isAlive(first)).toBe(false);
  },
);

test.skipIf(perl === '')('nothing of an attempt exists before it is due, neither a file nor a process', async () => {
  const { folder, marker, attempt, keeperOf } = createLoop();
  await supervise(attempt(1, 'true'));
  expect(readdirSync(folder)).toEqual(['attempt-1']);
  expect(findTeam(`${marker}/2/1`).map(({ pid }) => pid)).toEqual([keeperOf(1)?.pid]);
});

test.skipIf(perl === '')('an agent that kills the keeper of its loop loses its own run, not the next one', async () => {
  const { attempt, keeperOf } = createLoop();
  expect((await supervise(attempt(1, 'kill -KILL $PPID; sleep 600'))).ending).toEqual({ kind: 'lost' });
  expect((await supervise(attempt(2, 'exit 4'))).ending).toEqual({ kind: 'exited', code: 4 });
  expect(keeperOf(2)).not.toEqual(keeperOf(1));
});

test.skipIf(perl === '')('a keeper without an agent does not keep ralphd alive, and ends with it', async () => {
  const { folder, marker, options } = createAttempt('true');
  const program = `
    import { createKeeper } from ${JSON.stringify(path.join(import.meta.dirname, 'loop-keeper.ts'))};
    import { supervise } from ${JSON.stringify(path.join(import.meta.dirname, 'supervise.ts'))};
    const keeper = createKeeper({ marker: ${JSON.stringify(`${marker}/`)}, env: {} });
    await supervise({ ...${JSON.stringify(options)}, marker: ${JSON.stringify(`${marker}/1/1`)}, keeper });`;
  const command = [process.execPath, '--input-type=module', '-e', program];
  const { ending } = await runToEnd({ command, cwd: folder, env: options.env });
  expect(ending).toEqual({ kind: 'exited', code: 0 });
  expect(existsSync(path.join(folder, 'exit'))).toBe(true);
  await expect.poll(() => findTeam(`${marker}/1/1`)).toEqual([]);
});

test.skipIf(perl === '')('between two agents a keeper runs commands, and returns exactly what they print', async () => {
  const { folder, keeper, attempt } = createLoop();
  const errand = (command: string) => ({ command, cwd: folder, env: { NAME: 'a=b' }, timeoutMs: 20_000 });
  // It is started with its first agent.
  expect(await keeper.run(errand('echo'))).toBeUndefined();
  await supervise(attempt(1, 'true'));
  expect((await keeper.run(errand('printf "%s\\0\\n" "$NAME"; pwd')))?.toString()).toBe(`a=b\0\n${folder}\n`);
  const long = await keeper.run(errand('head -c 3000000 /dev/zero'));
  expect(long?.equals(Buffer.alloc(3_000_000))).toBe(true);
  expect(await keeper.run(errand('true'))).toEqual(Buffer.alloc(0));
  const second = await supervise(attempt(2, 'echo 2; exit 3'));
  expect(second).toMatchObject({ ending: { kind: 'exited', code: 3 }, survivors: [] });
});

test.skipIf(perl === '')('a command that a keeper cannot run well is left to the caller', async () => {
  const { folder, keeper, attempt, keeperOf } = createLoop();
  const errand = (command: string | string[], timeoutMs = 20_000) => ({ command, cwd: folder, env: {}, timeoutMs });
  await supervise(attempt(1, 'true'));
  expect(await keeper.run(errand('echo half; exit 1'))).toBeUndefined();
  expect(await keeper.run(errand(['/nowhere']))).toBeUndefined();
  expect(await keeper.run({ ...errand('echo'), cwd: '/nowhere' })).toBeUndefined();
  expect(await keeper.run(errand('echo late; sleep 600', 100))).toBeUndefined();
  expect((await keeper.run(errand('echo next')))?.toString()).toBe('next\n');
  const { pid = 0 } = keeperOf(1) ?? {};
  process.kill(pid, 'SIGSTOP');
  const stopped = keeper.run(errand('echo'));
  process.kill(pid, 'SIGKILL');
  expect(await stopped).toBeUndefined();
  expect(await keeper.run(errand('echo'))).toBeUndefined();
});

test.skipIf(perl === '')('what a command of a keeper leaves running is ended, and does not hold it up', async () => {
  const { folder, keeper, attempt } = createLoop();
  await supervise(attempt(1, 'true'));
  const errand = {
    command: 'echo $$; sleep 600 & echo $!',
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 20_000,
  };
  const pids = (await keeper.run(errand))?.toString().trim().split('\n').map(Number) ?? [];
  expect(pids).toHaveLength(2);
  for (const pid of pids) await expect.poll(() => processTable.read(pid)?.zombie ?? true).toBe(true);
});

test.skipIf(perl === '' || process.platform !== 'linux')(
  'a process that shed everything that marks it is still found by its keeper, and does not outlive the run',
  async () => {
    const { folder, attempt, keeperOf } = createLoop();
    const daemon = `env -i setsid sh -c 'echo $$ > new; mv new pid; exec sleep 600'`;
    const command = `(${daemon} < /dev/null > /dev/null 2>&1 &) ; until [ -e pid ]; do sleep 0.01; done`;
    const run = await supervise(attempt(1, command));
    expect(run).toMatchObject({ ending: { kind: 'exited', code: 0 }, survivors: [] });
    expect(processTable.read(Number(readFileSync(path.join(folder, 'pid'), 'utf8')))?.zombie ?? true).toBe(true);
    expect(processTable.read(keeperOf(1)?.pid ?? 0)).toMatchObject({ zombie: false });
  },
);

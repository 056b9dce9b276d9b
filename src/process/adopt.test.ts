import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { agentOf, type RecoverOptions, recoverAttempt } from './adopt.ts';
import { readExit, readStarted } from './attempt-files.ts';
import { isAlive } from './identity.ts';
import { findByMarker } from './reap.ts';
import { type SuperviseOptions, supervise } from './supervise.ts';
import { systemTools } from './system-tools.ts';
import { endTeam } from './team.ts';
import { abandon } from './testing/abandon.ts';
import { createAttempt, fixture } from './testing/attempt.ts';

const waiting = 'echo one; until [ -e go ]; do sleep 0.01; done; echo two; echo why >&2; exit 7';

/** An attempt whose ralphd was killed as soon as its agent ran, and the next ralphd. */
async function leave(command: SuperviseOptions['command'], more: Partial<SuperviseOptions> = {}) {
  const attempt = createAttempt(command, more);
  const { folder, marker, options } = attempt;
  const identity = await abandon(options);
  const recover = async (changes: Partial<RecoverOptions> = {}) =>
    await recoverAttempt({ ...options, folder, marker, adopt: true, ...changes });
  const put = (name: string, text = '') => writeFileSync(path.join(folder, name), text);
  return { ...attempt, identity, recover, put };
}

test('A083: an agent that outlived its ralphd is adopted: its output is complete and its exit code is the real one', async () => {
  const { recover, put, stdout, identity } = await leave(waiting);
  await expect.poll(stdout).toBe('one\n');
  const announced: unknown[] = [];
  const adopted = recover({ onAdopted: (agent) => announced.push(agent) });
  put('go');
  const run = await adopted;
  expect(announced).toEqual([identity]);
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 7 }, survivors: [], identity });
  expect(run?.durationMs).toBeGreaterThan(0);
  expect(run?.stdout.toString()).toBe('one\ntwo\n');
  expect(run?.stderr.toString()).toBe('why\n');
  expect(stdout()).toBe('one\ntwo\n');
});

test('A083: the result of an agent that ended while no ralphd ran can be read more than once', async () => {
  const { recover, put, left } = await leave(waiting);
  put('go');
  await expect.poll(left).toEqual([]);
  const heard: string[] = [];
  const onOutput = (chunk: Uint8Array, stream: string) => heard.push(`${stream}: ${Buffer.from(chunk).toString()}`);
  const run = await recover({ onOutput });
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 7 }, survivors: [] });
  expect(heard).toEqual(['stdout: one\ntwo\n', 'stderr: why\n']);
  expect(await recover()).toMatchObject({ ending: { kind: 'exited', code: 7 } });
});

test.each([
  ['forward', -3_600],
  ['back', 3_600],
])('a clock that was set %s by an hour since the agent started does not change its limits', async (_way, seconds) => {
  const { recover, put, folder } = await leave(waiting, { timeoutMs: 600_000 });
  // What the clock on the wall makes of a start that was a moment ago.
  const at = Date.now() / 1_000 + seconds;
  utimesSync(path.join(folder, 'started'), at, at);
  const run = await recover({ onAdopted: () => put('go') });
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 7 } });
  expect(run?.durationMs).toBeGreaterThan(0);
  expect(run?.durationMs).toBeLessThan(600_000);
});

test('an agent is adopted again and again, however often its ralphd dies', async () => {
  const { recover, put, options, folder } = await leave(waiting);
  const program = `
    import { recoverAttempt } from ${JSON.stringify(path.join(import.meta.dirname, 'adopt.ts'))};
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 100);
    await recoverAttempt({ ...${JSON.stringify(options)}, adopt: true });`;
  const command = [process.execPath, '--input-type=module', '-e', program];
  for (let round = 0; round < 2; round += 1) {
    const second = createAttempt(command, { cwd: folder });
    expect((await supervise(second.options)).ending).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  }
  const adopted = recover();
  put('go');
  expect(await adopted).toMatchObject({ ending: { kind: 'exited', code: 7 } });
});

test('an adopted agent is ended on request, with everything it hid', async () => {
  const { recover, marker } = await leave(fixture('stubborn-agent'));
  await expect.poll(() => findByMarker(marker)).toHaveLength(3);
  const stop = new AbortController();
  const adopted = recover({ signal: stop.signal, graceMs: 100 });
  stop.abort();
  expect(await adopted).toMatchObject({ ending: { kind: 'stopped', by: 'request', forced: true }, survivors: [] });
  expect(findByMarker(marker)).toEqual([]);
});

test('A078: the time limit of an adopted agent still counts from its start', async () => {
  const { recover } = await leave(fixture('polite-agent'), { timeoutMs: 3_600_000 });
  expect(await recover({ timeoutMs: 1 })).toMatchObject({ ending: { kind: 'stopped', by: 'timeout', forced: false } });
});

test('A086: an agent that its keeper ended at the deadline is timed out', async () => {
  const { recover, left } = await leave(fixture('polite-agent'), { timeoutMs: 1, graceMs: 1 });
  await expect.poll(left).toEqual([]);
  // Whether it manages to end within a grace of one second depends on the machine.
  expect(await recover()).toMatchObject({ ending: { kind: 'stopped', by: 'timeout' } });
});

test('an agent that must not be adopted is ended gracefully, and its run is lost', async () => {
  const { recover, stdout, left } = await leave(fixture('polite-agent'));
  await expect.poll(stdout).toBe('ready\n');
  expect(await recover({ adopt: false })).toBeUndefined();
  expect(stdout()).toBe('ready\nsaved\n');
  expect(left()).toEqual([]);
});

test('an agent that was ended because its ralphd died is lost', async () => {
  const { recover, left } = await leave(fixture('polite-agent'), { onRunnerLoss: 'end' });
  await expect.poll(left).toEqual([]);
  expect(await recover()).toBeUndefined();
});

test('an attempt that never started is abandoned permanently', async () => {
  const { options, folder } = createAttempt('touch ran');
  expect(await recoverAttempt({ ...options, adopt: true })).toBeUndefined();
  expect(await recoverAttempt({ ...options, adopt: true })).toBeUndefined();
  expect(await supervise(options)).toMatchObject({ ending: { kind: 'not_started' } });
  expect(existsSync(path.join(folder, 'ran'))).toBe(false);
});

test('an agent whose keeper was killed too is lost, and ended', async () => {
  const { recover, marker, folder } = await leave(fixture('stubborn-agent'));
  await expect.poll(() => findByMarker(marker)).toHaveLength(3);
  await endTeam(marker);
  expect(await recover({ graceMs: 50 })).toBeUndefined();
  expect(findByMarker(marker)).toEqual([]);
  expect(readStarted(folder)?.keeper).toBeDefined();
});

test('a keeper that is killed while its agent is adopted is noticed, and the run is lost', async () => {
  const { recover, folder, marker } = await leave(fixture('silent-agent'));
  const adoption = Promise.withResolvers<void>();
  const adopted = recover({ onAdopted: () => adoption.resolve() });
  const { keeper } = readStarted(folder) ?? {};
  if (keeper === undefined) throw new Error('no keeper is named');
  await adoption.promise;
  process.kill(keeper.pid, 'SIGKILL');
  expect(await adopted).toMatchObject({ ending: { kind: 'lost' }, survivors: [] });
  expect(findByMarker(marker)).toEqual([]);
});

/** An attempt whose agent forged its exit and left a pipe where its keeper writes the real one, which blocks a shell. */
async function leaveForged(shell?: readonly string[]) {
  const left = await leave(waiting, { shell });
  left.put('exit', '0\n');
  const pipe = path.join(left.folder, `exit.${readStarted(left.folder)?.keeper?.pid}`);
  execFileSync('mkfifo', [pipe]);
  left.put('go');
  await expect.poll(() => isAlive(left.identity)).toBe(false);
  return { ...left, pipe };
}

test('R3: an exit that the agent forged is not believed while its keeper still has to record the real one', async () => {
  const { recover, pipe } = await leaveForged(['/bin/sh']);
  // Long enough for a machine that stalls: the keeper must not be given up before its exit is read.
  const recovered = recover({ recordMs: 60_000 });
  expect(await readFile(pipe, 'utf8')).toBe('7\n');
  expect(await recovered).toBeUndefined();
});

test('R3: an agent that forges its exit and leaves a pipe in the way of the real one is judged by the real one', async () => {
  const { recover } = await leaveForged();
  expect(await recover()).toMatchObject({ ending: { kind: 'exited', code: 7 } });
});

test('R3: a keeper that is prevented from recording an exit is not waited for forever, and that exit is lost', async () => {
  const { recover, folder } = await leaveForged(['/bin/sh']);
  const { keeper } = readStarted(folder) ?? {};
  expect(await recover({ recordMs: 50 })).toBeUndefined();
  expect(keeper && isAlive(keeper)).toBe(false);
});

test('R3: an agent that has ended, but that its keeper has not collected yet, is not adopted', () => {
  const plain = { name: 'sh', startTime: '1', cpuMs: 0, memoryBytes: 0, working: false, stopped: false, zombie: false };
  const keeper = { ...plain, pid: 20, parentId: 10, groupId: 10 };
  const leash = { ...plain, pid: 21, parentId: 20, groupId: 10 };
  const agent = { ...plain, pid: 22, parentId: 20, groupId: 22 };
  expect(agentOf(keeper, [keeper, leash, agent])).toBe(agent);
  expect(agentOf(keeper, [keeper, leash, { ...agent, zombie: true }])).toBeUndefined();
});

test('R3: the agent of a keeper that adopts orphans is the one that it recorded, and never an orphan', async () => {
  const { folder, identity, put } = await leave(waiting);
  put('go');
  const { keeper, agent } = readStarted(folder) ?? {};
  expect(agent).toEqual(systemTools().perl === '' ? undefined : { pid: identity.pid, startTime: identity.startTime });
  const plain = { name: 'sh', startTime: '1', cpuMs: 0, memoryBytes: 0, working: false, stopped: false, zombie: false };
  const first = { ...plain, pid: keeper?.pid ?? 0, parentId: 1, groupId: 1 };
  const rows = [first, ...[3, 4].map((pid) => ({ ...plain, pid, parentId: first.pid, groupId: pid }))];
  expect(agentOf(first, rows, { pid: 4, startTime: '1' })?.pid).toBe(4);
  expect(agentOf(first, rows, { pid: 4, startTime: '2' })).toBeUndefined();
});

test('an attempt from an earlier boot is lost, whatever files it left', async () => {
  const { recover, put, read, left } = await leave(waiting);
  put('go');
  await expect.poll(left).toEqual([]);
  put('started', read('started').replace(/"bootId":"[^"]*"/, '"bootId":"another"'));
  expect(await recover()).toBeUndefined();
});

test('a file that names an unrelated process as the keeper does no harm', async () => {
  const bystander = await leave(['sleep', '600']);
  const { recover, put, left, stdout } = await leave(waiting);
  await expect.poll(stdout).toBe('one\n');
  put('started', `${JSON.stringify(bystander.identity)}\n`);
  put('exit', '0\n');
  const run = await recover({ graceMs: 50 });
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 0 } });
  expect(isAlive(bystander.identity)).toBe(true);
  expect(left()).toEqual([]);
  expect(stdout()).toBe('one\n');
  await bystander.recover({ adopt: false });
});

test('an agent that deleted its folder while no ralphd ran is ended, and its attempt never starts again', async () => {
  const { recover, folder, left, options } = await leave('cd /; rm -rf "$OLDPWD/started" "$OLDPWD/stdout"; sleep 600');
  await expect.poll(() => existsSync(path.join(folder, 'started'))).toBe(false);
  expect(await recover({ graceMs: 50 })).toBeUndefined();
  expect(left()).toEqual([]);
  expect(await supervise(options)).toMatchObject({ ending: { kind: 'not_started' } });
});

test('64 MB that were printed while nobody was reading arrive complete', async () => {
  const command =
    'head -c 64000000 /dev/zero | tr "\\0" x; touch printed; until [ -e go ]; do sleep 0.01; done; echo; echo end';
  const { recover, put, folder } = await leave(command);
  await expect.poll(() => existsSync(path.join(folder, 'printed'))).toBe(true);
  const adopted = recover({ tailBytes: 10 });
  put('go');
  expect((await adopted)?.stdout.toString()).toBe('xxxxx\nend\n');
  expect(statSync(path.join(folder, 'stdout')).size).toBe(64_000_005);
  rmSync(path.join(folder, 'stdout'));
  expect(readExit(folder)?.ending).toEqual({ kind: 'exited', code: 0 });
});

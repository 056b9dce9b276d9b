import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { identityOf, isAlive } from './identity.ts';
import { keeperVariable } from './keeper.ts';
import { keeperStart } from './keeper-command.ts';
import { endByIdentity, endByMarker, endProcess, findByMarker } from './reap.ts';
import { signalProcess } from './signals.ts';
import { type SuperviseOptions, supervise } from './supervise.ts';
import { findTeam } from './team.ts';
import { abandon } from './testing/abandon.ts';
import { createAttempt, fixture } from './testing/attempt.ts';

const patient = { graceMs: 3_600_000 };

/** Starts an agent whose ralphd dies at once. */
async function leave(command: SuperviseOptions['command']) {
  const attempt = createAttempt(command);
  return { ...attempt, identity: await abandon(attempt.options) };
}

test('an agent left by a killed ralphd is found and ended by its identity, with its keeper and all it hid', async () => {
  const { identity, marker } = await leave(fixture('stubborn-agent'));
  await expect.poll(() => findByMarker(marker)).toHaveLength(3);
  expect(isAlive(identity)).toBe(true);
  expect(findTeam(marker)).not.toEqual([]);
  expect(await endByIdentity(identity, marker, { graceMs: 50 })).toEqual([]);
  expect(isAlive(identity)).toBe(false);
  expect(findByMarker(marker)).toEqual([]);
  expect(findTeam(marker)).toEqual([]);
});

test('an agent left by a killed ralphd gets its grace too, and its last output is written', async () => {
  const { identity, marker, stdout } = await leave(fixture('polite-agent'));
  await expect.poll(stdout).toBe('ready\n');
  expect(await endByIdentity(identity, marker, patient)).toEqual([]);
  expect(stdout()).toBe('ready\nsaved\n');
});

test('a process that was given the number of another one is not touched', async () => {
  const { identity, marker, stdout } = await leave(fixture('polite-agent'));
  await expect.poll(stdout).toBe('ready\n');
  const former = { ...identity, startTime: '1' };
  expect(await endByIdentity(former, randomUUID(), { graceMs: 50 })).toEqual([]);
  signalProcess(former, 'SIGKILL');
  // Had one of these signals reached it, it could not print this any more, or would have printed it before.
  expect(stdout()).toBe('ready\n');
  await endByIdentity(identity, marker, patient);
  expect(stdout()).toBe('ready\nsaved\n');
});

test('everything that carries a marker is ended, and nothing that carries another', async () => {
  const { marker } = await leave(fixture('stubborn-agent'));
  const bystander = await leave(['sleep', '600']);
  await expect.poll(() => findByMarker(marker)).toHaveLength(3);
  expect(await endByMarker(marker)).toEqual([]);
  expect(findByMarker(marker)).toEqual([]);
  expect(isAlive(bystander.identity)).toBe(true);
  await endByMarker(bystander.marker);
});

test('a marker that is a prefix of another one is not mistaken for it', async () => {
  const { options, marker } = createAttempt(['sleep', '600']);
  const longer = `${marker}-2`;
  await abandon({ ...options, marker: longer });
  await expect.poll(() => findByMarker(longer)).toHaveLength(1);
  expect(findByMarker(marker)).toEqual([]);
  expect(findTeam(marker)).toEqual([]);
  await endByMarker(longer);
});

test('an agent that a slow keeper starts while it is being ended is ended too', async () => {
  const { folder, options, marker, left } = createAttempt('echo $$ > ran; exec sleep 600');
  // It begins only after the search for its agent found nothing, and long before the search is abandoned.
  writeFileSync(path.join(folder, 'slow'), '#!/bin/sh\nsleep 1\nexec /bin/sh "$@"\n', { mode: 0o700 });
  const { command, variables } = keeperStart({ ...options, shell: [path.join(folder, 'slow')] }, marker, 0);
  const [file = '', ...args] = command;
  const env = { ...options.env, ...variables, [keeperVariable]: marker };
  const keeper = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], detached: true });
  keeper.stdio[3]?.destroy();
  await expect.poll(() => findTeam(marker)).not.toEqual([]);
  expect(await endByMarker(marker)).toEqual([]);
  expect(left()).toEqual([]);
});

test('a process that is gone needs no ending', async () => {
  const { options, marker } = createAttempt(['true']);
  const { identity } = await supervise(options);
  expect(identity && identityOf(identity.pid)).toBeUndefined();
  expect(identity && (await endByIdentity(identity, marker, patient))).toEqual([]);
});

test('one process is ended: asked first, woken if it is frozen, killed if it does not go', async () => {
  const polite = spawn('sleep', ['1000'], { stdio: 'ignore' });
  const stubborn = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 0.05; done'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => {
    polite.kill('SIGKILL');
    stubborn.kill('SIGKILL');
  });
  await once(stubborn.stdout, 'data');
  const [one, other] = [identityOf(polite.pid ?? 0), identityOf(stubborn.pid ?? 0)];
  if (one === undefined || other === undefined) throw new Error('a process did not start');
  polite.kill('SIGSTOP');
  expect(await endProcess({ ...one, startTime: 'another' }, { graceMs: 1 })).toBe('ended');
  expect(isAlive(one)).toBe(true);
  expect(await endProcess(one, { graceMs: 5_000 })).toBe('ended');
  expect(await endProcess(other, { graceMs: 100 })).toBe('killed');
  expect([isAlive(one), isAlive(other)]).toEqual([false, false]);
});

import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { identityOf, isAlive, isStopped, livenessOf, selfIdentity } from './identity.ts';

test('the calling process is alive under its identity', () => {
  expect(selfIdentity().pid).toBe(process.pid);
  expect(isAlive(selfIdentity())).toBe(true);
  expect(selfIdentity()).toEqual(identityOf(process.pid));
});

test('a number alone proves nothing: start time, boot and host must agree too', () => {
  const self = selfIdentity();
  expect(isAlive({ ...self, startTime: `${self.startTime}0` })).toBe(false);
  expect(isAlive({ ...self, bootId: 'another boot' })).toBe(false);
  expect(isAlive({ ...self, host: 'another host' })).toBe(false);
});

test('a process of another machine is unknown, one of an earlier boot of this machine is dead', () => {
  const self = selfIdentity();
  expect(livenessOf(self)).toBe('alive');
  expect(livenessOf({ ...self, startTime: `${self.startTime}0` })).toBe('dead');
  expect(livenessOf({ ...self, bootId: 'another boot' })).toBe('dead');
  expect(livenessOf({ ...self, host: 'another host', bootId: 'another boot' })).toBe('unknown');
});

test('renaming the machine does not make a process dead; one that is not found may be in a container of that name', () => {
  const self = { ...selfIdentity(), host: 'another name' };
  expect(livenessOf(self)).toBe('alive');
  expect(livenessOf({ ...self, pid: 2 ** 30 })).toBe('unknown');
});

test('a number that no process has identifies nothing', () => {
  expect(identityOf(2 ** 30)).toBeUndefined();
});

test('a process that was stopped is known as such until it is continued or gone', async () => {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const identity = identityOf(child.pid ?? 0);
  if (identity === undefined) throw new Error('It did not start.');
  expect(isStopped(identity)).toBe(false);
  child.kill('SIGSTOP');
  await expect.poll(() => isStopped(identity)).toBe(true);
  expect(isStopped({ ...identity, startTime: '0' })).toBe(false);
  child.kill('SIGCONT');
  await expect.poll(() => isStopped(identity)).toBe(false);
});

import { expect, test } from 'vitest';
import { identityOf, isAlive, selfIdentity } from './identity.ts';

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

test('a number that no process has names none', () => {
  expect(identityOf(2 ** 30)).toBeUndefined();
});

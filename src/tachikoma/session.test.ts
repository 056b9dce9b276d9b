import { expect, test } from 'vitest';
import { Session, SessionManager } from './session.ts';

test('B018 B020: a manager has one current session, and a fresh one takes its place', async () => {
  const manager = new SessionManager({ claudeCommand: './claude.sh' });
  const first = manager.getOrCreateSession();
  expect(manager.getOrCreateSession()).toBe(first);
  expect(first.config.claudeCommand).toBe('./claude.sh');
  const second = manager.createFreshSession();
  await expect.poll(() => first.status).toBe('ended');
  expect(manager.getOrCreateSession()).toBe(second);
  await second.terminate();
  expect(manager.getOrCreateSession()).not.toBe(second);
});

test('B018 B020: at most five sessions are kept, and those that are over make room', async () => {
  const manager = new SessionManager();
  const sessions = Array.from({ length: 5 }, () => manager.createSession());
  expect(manager.counts()).toEqual({ total: 5, active: 5 });
  expect(() => manager.createSession()).toThrow(expect.objectContaining({ code: 'TOO_MANY_SESSIONS' }));
  await sessions[2]?.terminate();
  expect(manager.counts()).toEqual({ total: 5, active: 4 });
  manager.createSession();
  expect(manager.counts()).toEqual({ total: 5, active: 5 });
  await manager.terminateAll();
  expect(manager.list().map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'terminated'));
});

test('B014 B018: a session that ends lets its iteration finish, and then takes no other', async () => {
  const session = new Session();
  const gate = Promise.withResolvers<string>();
  const running = session.occupy(async () => await gate.promise);
  const ending = session.end();
  expect(session.status).toBe('executing');
  gate.resolve('done');
  await ending;
  expect(await running).toBe('done');
  expect(session.status).toBe('ended');
  await expect(session.occupy(async () => {})).rejects.toMatchObject({ code: 'SESSION_NOT_READY' });
});

test('B014: an iteration that fails leaves its session ready, and one that is terminated before its agent runs is stopped', async () => {
  const session = new Session();
  await expect(session.occupy(async () => await Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(session.status).toBe('ready');
  const gate = Promise.withResolvers<void>();
  let stops = 0;
  const running = session.occupy(async (onStop) => {
    await gate.promise;
    onStop(async () => {
      stops += 1;
    });
  });
  const terminating = session.terminate();
  gate.resolve();
  await Promise.all([running, terminating]);
  expect(stops).toBe(1);
});

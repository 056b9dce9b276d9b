import { expect, test } from 'vitest';
import { errorOf, kept } from './testing/kept-state.ts';

test('A124 A128: an update goes through a modifier, marks unsaved changes, and saving clears the mark', async () => {
  const it = kept();
  const manager = it.manager();
  await manager.update(() => expect.unreachable());
  await manager.initialize('one');
  await manager.update((state) => {
    state.custom['note'] = 'first';
  });
  expect(manager.isDirty()).toBe(true);
  expect(it.stored().custom).toEqual({});
  const copy = manager.getState();
  if (copy !== undefined) copy.custom['note'] = 'changed outside';
  await manager.save();
  expect(manager.isDirty()).toBe(false);
  expect(it.stored().custom).toEqual({ note: 'first' });
});

test('A124: a modifier that throws or leaves no valid state changes nothing', async () => {
  const manager = kept().manager();
  await manager.initialize('one');
  const before = manager.getState();
  await expect(
    manager.update((state) => {
      state.custom['half'] = true;
      throw new Error('not today');
    }),
  ).rejects.toThrow('not today');
  const error = await errorOf(manager.update(({ core }) => void (core.iteration = -1)));
  expect(error).toMatchObject({ kind: 'SerializationError' });
  expect(error.message).toContain('"core.iteration" must be a whole number from 0');
  await errorOf(manager.update((state) => void (state.loop_id = 'two')));
  expect(manager.getState()).toEqual(before);
});

test('A125: a change of status or iteration is on disk before the call returns, so that a crash loses none', async () => {
  const it = kept();
  const manager = it.manager({}, { now: () => new Date('2026-11-18T11:00:00Z') });
  await manager.initialize('one');
  await manager.updateCore('paused', 7);
  expect(it.stored().core).toMatchObject({ status: 'paused', iteration: 7, last_activity: '2026-11-18T11:00:00.000Z' });
  expect(manager.isDirty()).toBe(false);
});

test('A109 A110 A125: the session section counts iterations and keeps ended sessions with their times', async () => {
  let now = new Date('2026-11-18T08:00:00Z');
  const manager = kept().manager({}, { now: () => now });
  await manager.initialize('one');
  await manager.updateSession('first', 40);
  await manager.updateSession('first', 86);
  expect(manager.getState()?.session).toMatchObject({
    current_session_id: 'first',
    session_started_at: '2026-11-18T08:00:00.000Z',
    session_iterations: 2,
    context_usage: 86,
  });
  now = new Date('2026-11-18T09:00:00Z');
  await manager.updateSession('second', 5);
  await manager.updateSession(undefined, 0, 'stopped');
  expect(manager.getState()?.session).toEqual({
    current_session_id: null,
    session_started_at: null,
    session_iterations: 0,
    context_usage: 0,
    session_history: [
      {
        session_id: 'first',
        started_at: '2026-11-18T08:00:00.000Z',
        ended_at: '2026-11-18T09:00:00.000Z',
        iterations: 2,
        end_reason: 'reboot',
      },
      {
        session_id: 'second',
        started_at: '2026-11-18T09:00:00.000Z',
        ended_at: '2026-11-18T09:00:00.000Z',
        iterations: 1,
        end_reason: 'stopped',
      },
    ],
  });
  for (let number = 0; number < 30; number += 1) await manager.updateSession(`session-${number}`, 1);
  expect(manager.getState()?.session.session_history).toHaveLength(20);
});

test('A111 A125: progress zeroes or raises the streak, notes its iteration, and keeps the newest twenty scores', async () => {
  const manager = kept().manager();
  await manager.initialize('one');
  await manager.updateCore('running', 3);
  await manager.updateProgress(true, 0.5);
  for (let number = 1; number <= 24; number += 1) await manager.updateProgress(false, number);
  expect(manager.getState()?.progress).toMatchObject({
    iterations_since_progress: 24,
    last_progress_iteration: 3,
    recent_scores: Array.from({ length: 20 }, (_, index) => index + 5),
  });
});

test('A112 A125: a test run replaces the lists; fixed and flaky tests are found, across restarts too', async () => {
  const it = kept();
  const manager = it.manager();
  await manager.initialize('one');
  await manager.updateTests(1, ['a'], ['b', 'unstable']);
  await manager.updateTests(0, ['a', 'b', 'unstable'], []);
  expect(manager.getState()?.tests).toEqual({
    failure_streak: 0,
    passing_tests: ['a', 'b', 'unstable'],
    failing_tests: [],
    flaky_tests: [],
    recently_fixed: ['b', 'unstable'],
  });
  await manager.save();
  const next = it.manager();
  await next.initialize('one');
  for (const failing of [['unstable'], [], ['unstable']]) {
    const passing = ['a', 'b', ...(failing.length === 0 ? ['unstable'] : [])];
    await next.updateTests(failing.length, passing, failing);
  }
  expect(next.getState()?.tests).toMatchObject({ flaky_tests: ['unstable'], recently_fixed: [] });
});

test('A107 A113: how close the conditions are, and whether the configuration changed, are part of the state', async () => {
  const manager = kept().manager();
  await manager.initialize('one');
  await manager.updateStopConditions({ max_iterations: 0.5 }, '5 of 10 iterations');
  expect(manager.getState()?.stop_conditions).toEqual({
    condition_progress: { max_iterations: 0.5 },
    last_evaluation: '5 of 10 iterations',
  });
  expect(await manager.updateConfig({ maxIterations: 10 })).toBe(false);
  expect(await manager.updateConfig({ maxIterations: 10 })).toBe(false);
  expect(await manager.updateConfig({ maxIterations: 20 })).toBe(true);
  expect(manager.getState()?.core.config_hash).toMatch(/^[0-9a-f]{64}$/);
});

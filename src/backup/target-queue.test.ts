import { expect, test } from 'vitest';
import { failures, LoopError } from '../base/index.ts';
import { createTargetQueue } from './target-queue.ts';

const turn = async () => await new Promise((resolve) => setImmediate(resolve));

/** A queue whose clock and target a test controls. */
function createWorld() {
  const state = { nowMs: 0, started: 0, answer: async (_signal: AbortSignal): Promise<void> => {} };
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  const errors: unknown[] = [];
  const queue = createTargetQueue({
    clock: {
      nowMs: () => state.nowMs,
      waitUntil: async (atMs, signal) =>
        await new Promise<void>((resolve) => {
          const sleeper = { atMs, wake: resolve };
          sleepers.add(sleeper);
          signal.addEventListener('abort', () => resolve());
          if (signal.aborted) resolve();
        }),
    },
    push: async (signal) => {
      state.started += 1;
      await state.answer(signal);
    },
    failed: (error) => errors.push(error),
  });
  const pass = async (ms: number) => {
    state.nowMs += ms;
    for (const sleeper of sleepers) if (sleeper.atMs <= state.nowMs) sleeper.wake();
    for (let turns = 0; turns < 5; turns += 1) await turn();
  };
  return { queue, state, errors, pass };
}

test('whatever is wanted while a backup is under way becomes one more backup', async () => {
  const { queue, state, pass } = createWorld();
  const first = Promise.withResolvers<void>();
  state.answer = async () => await first.promise;
  for (let wanted = 0; wanted < 100; wanted += 1) queue.want();
  await pass(0);
  for (let wanted = 0; wanted < 100; wanted += 1) queue.want();
  expect(state.started).toBe(1);
  first.resolve();
  await pass(0);
  expect(state.started).toBe(2);
  expect(await queue.settle(1_000)).toBe(true);
});

test('a target that fails is tried again after longer and longer pauses, however much is wanted', async () => {
  const { queue, state, errors, pass } = createWorld();
  state.answer = async () => await Promise.reject(new Error('gone'));
  queue.want();
  await pass(0);
  const starts: number[] = [];
  for (let second = 0; second < 1_200; second += 5) {
    queue.want();
    const before = state.started;
    await pass(5_000);
    if (state.started > before) starts.push(second + 5);
  }
  expect(starts.slice(0, 4)).toEqual([5, 20, 65, 200]);
  expect(errors).toHaveLength(1 + starts.length);
  state.answer = async () => {};
  await pass(300_000);
  expect(await queue.settle(0)).toBe(true);
});

test('at the end a pause is cut short, and a target that hangs costs no more than the grace period', async () => {
  const { queue, state, pass } = createWorld();
  state.answer = async (signal) =>
    await new Promise<void>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('late')));
    });
  queue.want();
  await pass(0);
  const settled = queue.settle(10_000);
  await pass(9_999);
  expect(await Promise.race([settled, Promise.resolve('waits')])).toBe('waits');
  await pass(1);
  expect(await settled).toBe(false);

  const other = createWorld();
  other.state.answer = async () => await Promise.reject(new Error('gone'));
  other.queue.want();
  await other.pass(0);
  expect(await other.queue.settle(10_000)).toBe(false);
  expect(other.state.started).toBe(2);
});

test('a loop that another machine continued is not tried again', async () => {
  const { queue, state, pass } = createWorld();
  state.answer = async () =>
    await Promise.reject(new LoopError(failures.backupDiverged('nas', 'ralph-x-00000001', 'b')));
  queue.want();
  await pass(0);
  queue.want();
  await pass(1_000_000);
  expect(state.started).toBe(1);
  expect(await queue.settle(0)).toBe(false);
});

import { expect, test } from 'vitest';
import { clockWith, systemClock } from './clock.ts';

test('waiting for an instant that has passed takes no time', async () => {
  const { signal } = new AbortController();
  await expect(systemClock.waitUntil(systemClock.nowMs() - 1, signal)).resolves.toBeUndefined();
  await expect(systemClock.waitUntil(Number.NEGATIVE_INFINITY, signal)).resolves.toBeUndefined();
});

test('waiting ends at the instant, not before it', async () => {
  const until = systemClock.nowMs() + 30;
  await systemClock.waitUntil(until, new AbortController().signal);
  expect(systemClock.nowMs()).toBeGreaterThanOrEqual(until);
});

test('a clock that is set back by a day makes no wait longer', async () => {
  let wallMs = Date.now();
  const waiting = clockWith(() => wallMs).waitUntil(wallMs + 30, new AbortController().signal);
  wallMs -= 86_400_000;
  await expect(waiting).resolves.toBeUndefined();
});

test.each([Number.POSITIVE_INFINITY, 8.64e15])('a wait until %d ends with its signal', async (instant) => {
  const stop = new AbortController();
  const waiting = systemClock.waitUntil(instant, stop.signal);
  stop.abort();
  await expect(waiting).resolves.toBeUndefined();
  await expect(systemClock.waitUntil(instant, AbortSignal.abort())).resolves.toBeUndefined();
});

test('the monotonic clock does not run backwards', () => {
  const before = systemClock.monotonicMs();
  expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(before);
});

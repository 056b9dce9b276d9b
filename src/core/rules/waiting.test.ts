import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Loop } from '../state/loop.ts';
import { storyStartMs as now, startedStory } from '../testing/story.ts';
import { limitOverAt, retryAt, waitLeftMs } from './waiting.ts';

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

const running = startedStory().reach('executed').loop;

function waitMs(resetAt?: string, loop: Loop = running): number {
  return limitOverAt(loop, resetAt, now) - now;
}

function afterLimits(limit: number): Loop {
  return { ...running, pending: { ...running.pending, retries: { ...running.pending.retries, limit: limit + 1 } } };
}

test('a reported reset is waited for, and five to sixty seconds more', () => {
  const reset = now + 90 * minute;
  const wait = waitMs(new Date(reset).toISOString());
  expect(wait).toBeGreaterThanOrEqual(90 * minute + 5 * second);
  expect(wait).toBeLessThanOrEqual(91 * minute);
});

test('a reset in the far future is not believed beyond eight days', () => {
  expect(waitMs(new Date(now + 400 * day).toISOString())).toBe(8 * day);
});

test.each([
  ['no reset', undefined],
  ['a reset that is no instant', 'tomorrow at three'],
  ['an empty reset', ''],
  ['a reset that is already over', new Date(now - day).toISOString()],
])('with %s the wait grows with each limit in a row, up to an hour', (_case, resetAt) => {
  const floors = [0, 1, 2, 3, 5, 6, 7, 100].map((limit) => waitMs(resetAt, afterLimits(limit)) / minute);
  [1, 2, 4, 8, 32, 60, 60, 60].forEach((expected, index) => {
    expect(floors[index]).toBeGreaterThanOrEqual(expected);
    expect(floors[index]).toBeLessThanOrEqual(expected * 1.1 + 0.001);
  });
});

test('R20: the wait is a whole number of milliseconds in the future, and the same for the same attempt', () => {
  const instant = fc.option(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }), {
    nil: undefined,
  });
  fc.assert(
    fc.property(instant, fc.nat(2_000), fc.string(), (reset, limit, id) => {
      const loop = { ...afterLimits(limit), id };
      const wait = waitMs(reset?.toISOString(), loop);
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(5 * second);
      expect(wait).toBeLessThanOrEqual(8 * day);
      expect(waitMs(reset?.toISOString(), loop)).toBe(wait);
    }),
  );
});

test('loops that hit the same limit together do not all resume together', () => {
  const reset = new Date(now + minute).toISOString();
  const waits = Array.from({ length: 50 }, (_, index) => waitMs(reset, { ...running, id: `loop-${index}` }));
  expect(new Set(waits).size).toBeGreaterThan(45);
  expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(20 * second);
});

test('B061, B134: the delay before a free retry starts at 5 s, doubles, and is never longer than 5 min', () => {
  const delays = [0, 1, 2, 3, 5, 6, 50].map((retry) => (retryAt(retry, now) - now) / second);
  expect(delays).toEqual([5, 10, 20, 40, 160, 300, 300]);
});

/** A loop that hit a limit which resets in this many milliseconds. */
function limited(resetMs: number) {
  const story = startedStory().run({ outcome: 'usage_limited', resetAt: new Date(now + resetMs).toISOString() });
  story.advance();
  return story;
}

test('a wait is over at its instant, and what is left of it shrinks with the clock', () => {
  const { loop } = limited(2 * 60 * minute);
  const whole = waitLeftMs(loop, now);
  expect(whole).toBeGreaterThanOrEqual(2 * 60 * minute + 5 * second);
  expect(waitLeftMs(loop, now + minute)).toBe(whole - minute);
  expect(waitLeftMs(loop, now + whole)).toBe(0);
  expect(waitLeftMs(loop, now + 9 * day)).toBe(0);
  expect(waitLeftMs(running, now)).toBe(0);
});

test('a clock that is set back by a day makes no wait longer than planned', () => {
  const story = limited(2 * 60 * minute);
  const whole = waitLeftMs(story.loop, now);
  for (const back of [minute, day, 400 * day]) {
    expect(waitLeftMs(story.loop, now - back)).toBe(whole);
    const action = story.pass(-back).advance();
    expect(action).toMatchObject({ type: 'wait', until: new Date(now - back + whole).toISOString() });
    story.pass(back);
  }
});

test('a clock that is set forward ends a wait early; a limit that still holds is waited for again and costs nothing', () => {
  const story = limited(2 * 60 * minute).pass(day);
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1, attempt: 2 });
  const resetAt = new Date(now + 2 * 60 * minute).toISOString();
  story.run({ outcome: 'usage_limited', resetAt });
  expect(story.advance()).toMatchObject({ type: 'wait', cause: 'limit' });
  expect(waitLeftMs(story.loop, story.nowMs)).toBeGreaterThanOrEqual(2 * minute);
  expect(story.loop).toMatchObject({ position: { finished: 0 }, totals: { stats: { iterations: 0 } } });
});

test('R20: a wait outlives its owner, its machine and a pause, and still ends at the same instant', () => {
  const story = limited(2 * 60 * minute);
  const { until } = story.loop.pending.wait ?? {};
  expect(story.pass(minute).takeOver().advance()).toMatchObject({ type: 'wait', until });
  story.command({ command: 'pause' }).advance();
  expect(story.loop).toMatchObject({ status: 'paused', pending: { wait: { until } } });
  expect(story.pass(minute).takeOver().command({ command: 'resume' }).advance()).toMatchObject({ type: 'wait', until });
  expect(waitLeftMs(story.loop, story.nowMs)).toBe(Date.parse(until ?? '') - story.nowMs);
});

test('whatever the clock does, what is left of a wait is never more than the whole wait', () => {
  const instants = fc.integer({ min: now - 900 * day, max: now + 900 * day });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 * day }), instants, (resetMs, nowMs) => {
      const { loop } = limited(resetMs);
      const left = waitLeftMs(loop, nowMs);
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left).toBeLessThanOrEqual(waitLeftMs(loop, now));
      expect(left).toBeLessThanOrEqual(8 * day);
    }),
  );
});

test('a snapshot of the first releases does not record when a wait began: it is over at its instant', () => {
  const wait = { until: new Date(now + minute).toISOString(), cause: 'limit', message: 'later' } as const;
  expect(waitLeftMs({ pending: { wait } }, now)).toBe(minute);
  expect(waitLeftMs({ pending: { wait } }, now - day)).toBe(day + minute);
});

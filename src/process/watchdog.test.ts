import { expect, test } from 'vitest';
import { checkIntervalMs, createWatchdog, type Limits } from './watchdog.ts';

function watch(limits: Limits, bytesAtStart = 0) {
  const reading = {
    now: 1_000,
    bytes: bytesAtStart,
    beats: 0,
    isOver: false,
    isRetrying: false,
    isSpent: false,
    isFull: false,
    isRejected: false,
    isOverMemory: false,
  };
  const check = createWatchdog(limits, {
    now: () => reading.now,
    outputBytes: () => reading.bytes,
    pulse: () => reading.beats,
    hasResult: () => reading.isOver,
    isRetrying: () => reading.isRetrying,
    isSpent: () => reading.isSpent,
    isFull: () => reading.isFull,
    isRejected: () => reading.isRejected,
    isOverMemory: () => reading.isOverMemory,
  });
  return (afterMs: number, bytes: number, more: Partial<Omit<typeof reading, 'now' | 'bytes'>> = {}) => {
    Object.assign(reading, { now: 1_000 + afterMs, bytes }, more);
    return check();
  };
}

test('R19: the time limit counts from the start, whatever is printed', () => {
  const check = watch({ timeoutMs: 100, idleMs: 60 });
  expect([check(50, 1), check(99, 2), check(100, 3)]).toEqual([undefined, undefined, 'timeout']);
});

test('R19: the idle limit counts from the last change of the output, growth or not', () => {
  const check = watch({ idleMs: 60 });
  expect([check(59, 0), check(60, 5), check(119, 5), check(119, 2), check(178, 2), check(179, 2)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    'idle',
  ]);
});

test('R19: time in which nothing was checked, because ralphd itself was stopped, proves no silence', () => {
  const check = watch({ idleMs: 60_000 });
  expect([check(59_999, 0), check(3_600_000, 0), check(3_659_999, 0), check(3_660_000, 0)]).toEqual([
    undefined,
    undefined,
    undefined,
    'idle',
  ]);
});

test('R19: an agent that may have ended while ralphd itself was stopped is ended only by the check after that', () => {
  const check = watch({ timeoutMs: 60_000, resultGraceMs: 1_000 });
  expect([check(59_000, 1), check(59_500, 1), check(3_600_000, 1), check(3_600_500, 1)]).toEqual([
    undefined,
    undefined,
    undefined,
    'timeout',
  ]);
});

test('R19: checks that are always late still end an agent', () => {
  const check = watch({ timeoutMs: 60_000 });
  expect([check(30_000, 1), check(59_000, 1), check(90_000, 1), check(120_000, 1)]).toContain('timeout');
});

test('R19: any other sign of life counts like output', () => {
  const check = watch({ idleMs: 60 });
  expect([check(59, 0, { beats: 1 }), check(118, 0), check(119, 0)]).toEqual([undefined, undefined, 'idle']);
});

test('R19: an agent that prints only retry notices is alive but does not work', () => {
  const check = watch({ idleMs: 60 });
  const retrying = { isRetrying: true };
  expect([check(30, 5), check(60, 9, retrying), check(89, 14, retrying), check(90, 20, retrying)]).toEqual([
    undefined,
    undefined,
    undefined,
    'idle',
  ]);
});

test('R19: an agent that never prints anything is ended by the start limit, one that has is not', () => {
  const silent = watch({ startMs: 50 });
  expect([silent(49, 0, { beats: 7 }), silent(50, 0, { beats: 8 })]).toEqual([undefined, 'start']);
  const quick = watch({ startMs: 50 });
  expect([quick(49, 1), quick(500, 1)]).toEqual([undefined, undefined]);
  expect(watch({ startMs: 0 }, 5)(10, 5)).toBeUndefined();
});

test('R19: the grace after the result counts from when it was reported, whatever happens afterwards', () => {
  const check = watch({ resultGraceMs: 20, idleMs: 1_000 });
  const isOver = true;
  expect([check(10, 1), check(30, 2, { isOver }), check(49, 3), check(50, 4)]).toEqual([
    undefined,
    undefined,
    undefined,
    'result',
  ]);
});

test('the output limit is passed by the first byte too many', () => {
  const check = watch({ maxOutputBytes: 10 });
  expect([check(1, 10), check(2, 11)]).toEqual([undefined, 'output']);
});

test('an omitted bound never applies', () => {
  const check = watch({});
  expect(check(Number.MAX_SAFE_INTEGER / 2, Number.MAX_SAFE_INTEGER / 2)).toBeUndefined();
});

test('the interval between checks follows the smallest bound, within reason', () => {
  expect(checkIntervalMs({})).toBe(500);
  expect(checkIntervalMs({ timeoutMs: 1_800_000, idleMs: 1_000 })).toBe(100);
  expect(checkIntervalMs({ timeoutMs: 1 })).toBe(10);
});

test('B116: an agent that has used up its budget is ended, unless it has already reported its result', () => {
  const check = watch({ timeoutMs: 100, resultGraceMs: 50 });
  expect([check(10, 1), check(20, 2, { isSpent: true })]).toEqual([undefined, 'budget']);
  const late = watch({ resultGraceMs: 50 });
  expect([late(10, 1, { isOver: true, isSpent: true }), late(60, 1)]).toEqual([undefined, 'result']);
});

test('B033: an agent whose session is full is ended, unless it has already reported its result', () => {
  const check = watch({ timeoutMs: 100 });
  expect([check(10, 1), check(20, 2, { isFull: true })]).toEqual([undefined, 'redline']);
  expect(watch({})(60, 2, { isFull: true, isOver: true })).toBeUndefined();
});

test('an agent that retries in vain is ended, unless it has reported its result', () => {
  const check = watch({});
  expect([check(50, 1), check(60, 2, { isRejected: true })]).toEqual([undefined, 'rejected']);
  expect(watch({})(60, 2, { isRejected: true, isOver: true })).toBeUndefined();
});

test('B062: too much memory ends a run at once, even at a late check and after its result', () => {
  const check = watch({ timeoutMs: 60_000 });
  expect([check(10, 1), check(30_000, 1, { isOverMemory: true, isOver: true })]).toEqual([undefined, 'memory']);
});

import { expect, test } from 'vitest';
import { createWatchdog, type Limits, lookEveryMs } from './watchdog.ts';

function watch(limits: Limits, bytesAtStart = 0) {
  const reading = { now: 1_000, bytes: bytesAtStart, beats: 0, isOver: false, isRetrying: false, isSpent: false };
  const look = createWatchdog(limits, {
    now: () => reading.now,
    outputBytes: () => reading.bytes,
    pulse: () => reading.beats,
    resultSeen: () => reading.isOver,
    isRetrying: () => reading.isRetrying,
    isSpent: () => reading.isSpent,
  });
  return (
    afterMs: number,
    bytes: number,
    more: { beats?: number; isOver?: boolean; isRetrying?: boolean; isSpent?: boolean } = {},
  ) => {
    Object.assign(reading, { now: 1_000 + afterMs, bytes }, more);
    return look();
  };
}

test('R19: the time limit counts from the start, whatever is printed', () => {
  const look = watch({ timeoutMs: 100, idleMs: 60 });
  expect([look(50, 1), look(99, 2), look(100, 3)]).toEqual([undefined, undefined, 'timeout']);
});

test('R19: the idle limit counts from the last change of the output, growth or not', () => {
  const look = watch({ idleMs: 60 });
  expect([look(59, 0), look(60, 5), look(119, 5), look(119, 2), look(178, 2), look(179, 2)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    'idle',
  ]);
});

test('R19: time in which nobody could look, because ralphd itself was held, proves no silence', () => {
  const look = watch({ idleMs: 60_000 });
  expect([look(59_999, 0), look(3_600_000, 0), look(3_659_999, 0), look(3_660_000, 0)]).toEqual([
    undefined,
    undefined,
    undefined,
    'idle',
  ]);
});

test('R19: any other sign of life counts like output', () => {
  const look = watch({ idleMs: 60 });
  expect([look(59, 0, { beats: 1 }), look(118, 0), look(119, 0)]).toEqual([undefined, undefined, 'idle']);
});

test('R19: an agent that only says that it tries again is alive but does not work', () => {
  const look = watch({ idleMs: 60 });
  const retrying = { isRetrying: true };
  expect([look(30, 5), look(60, 9, retrying), look(89, 14, retrying), look(90, 20, retrying)]).toEqual([
    undefined,
    undefined,
    undefined,
    'idle',
  ]);
});

test('R19: an agent that never says anything is ended by the start limit, one that has is not', () => {
  const silent = watch({ startMs: 50 });
  expect([silent(49, 0, { beats: 7 }), silent(50, 0, { beats: 8 })]).toEqual([undefined, 'start']);
  const quick = watch({ startMs: 50 });
  expect([quick(49, 1), quick(500, 1)]).toEqual([undefined, undefined]);
  expect(watch({ startMs: 0 }, 5)(10, 5)).toBeUndefined();
});

test('R19: the grace after the result counts from when it was seen, whatever happens since', () => {
  const look = watch({ resultGraceMs: 20, idleMs: 1_000 });
  const isOver = true;
  expect([look(10, 1), look(30, 2, { isOver }), look(49, 3), look(50, 4)]).toEqual([
    undefined,
    undefined,
    undefined,
    'result',
  ]);
});

test('the output limit is passed by the first byte too many', () => {
  const look = watch({ maxOutputBytes: 10 });
  expect([look(1, 10), look(2, 11)]).toEqual([undefined, 'output']);
});

test('a bound that is left out never applies', () => {
  const look = watch({});
  expect(look(Number.MAX_SAFE_INTEGER / 2, Number.MAX_SAFE_INTEGER / 2)).toBeUndefined();
});

test('the pace of looking follows the smallest bound, within reason', () => {
  expect(lookEveryMs({})).toBe(500);
  expect(lookEveryMs({ timeoutMs: 1_800_000, idleMs: 1_000 })).toBe(100);
  expect(lookEveryMs({ timeoutMs: 1 })).toBe(10);
});

test('B116: an agent that has used up its budget is ended, unless it has said its last word', () => {
  const look = watch({ timeoutMs: 100, resultGraceMs: 50 });
  expect([look(10, 1), look(20, 2, { isSpent: true })]).toEqual([undefined, 'budget']);
  const late = watch({ resultGraceMs: 50 });
  expect([late(10, 1, { isOver: true, isSpent: true }), late(60, 1)]).toEqual([undefined, 'result']);
});

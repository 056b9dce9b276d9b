import { expect, test } from 'vitest';
import { createWatchdog, type Limits, lookEveryMs } from './watchdog.ts';

function watch(limits: Limits, bytesAtStart = 0) {
  const reading = { now: 1_000, bytes: bytesAtStart };
  const look = createWatchdog(limits, { now: () => reading.now, outputBytes: () => reading.bytes });
  return (afterMs: number, bytes: number) => {
    reading.now = 1_000 + afterMs;
    reading.bytes = bytesAtStart + bytes;
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

test('the output limit counts only what this run printed', () => {
  const look = watch({ maxOutputBytes: 10 }, 1_000);
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

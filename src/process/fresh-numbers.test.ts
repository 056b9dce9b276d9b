import { expect, test } from 'vitest';
import { lastBefore, type Numbering } from './fresh-numbers.ts';

function at(lastPid: number, forks: number): Numbering {
  return { lastPid, forks, maxPid: 32_768 };
}

test('what started since a moment has a higher number than the last process of then', () => {
  expect(lastBefore(at(100, 1_000), at(103, 1_003), 101)).toBe(100);
  expect(lastBefore(at(100, 1_000), at(8_000, 9_000), 101)).toBe(100);
});

test('where the numbers started again from below, all processes must be searched', () => {
  expect(lastBefore(at(32_700, 1_000), at(310, 1_100), 32_701)).toBeUndefined();
  expect(lastBefore(at(100, 1_000), at(100, 1_000), 101)).toBeUndefined();
});

test('where so many processes started that the numbers may have gone round, all processes must be searched', () => {
  expect(lastBefore(at(100, 1_000), at(103, 1_000 + 8_192), 101)).toBeUndefined();
});

test('a system that counts in another way is noticed by a process that is not among the new ones', () => {
  expect(lastBefore(at(100, 1_000), at(103, 1_003), 90)).toBeUndefined();
  expect(lastBefore(at(100, 1_000), at(103, 1_003), 104)).toBeUndefined();
  expect(lastBefore(at(0, 0), at(0, 0), 101)).toBeUndefined();
  expect(lastBefore(undefined, at(103, 1_003), 101)).toBeUndefined();
  expect(lastBefore(at(100, 1_000), undefined, 101)).toBeUndefined();
});

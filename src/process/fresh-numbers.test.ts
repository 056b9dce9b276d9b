import { expect, test } from 'vitest';
import { freshNumbers, type Numbering } from './fresh-numbers.ts';

function at(lastPid: number, forks: number): Numbering {
  return { lastPid, forks, maxPid: 32_768 };
}

test('the numbers given out since a moment are those after the last one of then', () => {
  expect(freshNumbers(at(100, 1_000), at(103, 1_003), 101)).toEqual([101, 102, 103]);
});

test('where the numbers started again from below, or there are many, all processes must be searched', () => {
  expect(freshNumbers(at(32_700, 1_000), at(310, 1_100), 32_701)).toBeUndefined();
  expect(freshNumbers(at(100, 1_000), at(357, 1_257), 101)).toBeUndefined();
});

test('where so many processes started that the numbers may have gone round, all processes must be searched', () => {
  expect(freshNumbers(at(100, 1_000), at(103, 1_000 + 8_192), 101)).toBeUndefined();
});

test('a system that counts in another way is noticed by a process that is not among the new ones', () => {
  expect(freshNumbers(at(100, 1_000), at(103, 1_003), 90)).toBeUndefined();
  expect(freshNumbers(at(100, 1_000), at(103, 1_003), 104)).toBeUndefined();
  expect(freshNumbers(at(0, 0), at(0, 0), 101)).toBeUndefined();
  expect(freshNumbers(undefined, at(103, 1_003), 101)).toBeUndefined();
  expect(freshNumbers(at(100, 1_000), undefined, 101)).toBeUndefined();
});

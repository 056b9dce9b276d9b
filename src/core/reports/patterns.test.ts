import { expect, test } from 'vitest';
import { firstMatch, isUsablePattern } from './patterns.ts';

test('the first pattern that matches anywhere in the error is named', () => {
  expect(firstMatch(['never', 'disk full', 'disk'], 'write: disk full')).toBe('disk full');
  expect(firstMatch(['^full'], 'disk full')).toBeUndefined();
  expect(firstMatch([], 'anything')).toBeUndefined();
});

test('a pattern that cannot be used matches nothing and does not affect the others', () => {
  expect(firstMatch(['(unclosed', '(?=look)', 'real'], 'real look (unclosed')).toBe('real');
});

test.each([
  ['disk full', true],
  ['(?i)fatal', true],
  ['[a-z]+\\d', true],
  ['(unclosed', false],
  ['a(?=b)', false],
  ['(a)\\1', false],
])('the pattern %s is usable: %s', (pattern, usable) => {
  expect(isUsablePattern(pattern)).toBe(usable);
});

test('a pattern that would block a backtracking engine still gets a result', () => {
  expect(firstMatch(['^(a+)+$'], `${'a'.repeat(10_000)}!`)).toBeUndefined();
});

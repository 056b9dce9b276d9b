import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLines, oneLine, shortDuration, wrapPath } from './plain.ts';

const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

test('whatever a program prints, nothing in it can move the cursor, hide or reorder text', () => {
  const nasty = fc.constantFrom(
    '\u001b[2J',
    '\u001b]0;x\u0007',
    '\u009b31m',
    '\r',
    '\b',
    '\u202e',
    '\u200b',
    '\u001b',
    '[31m',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' }))), (parts) => {
      expect(oneLine(parts.join(''), 20)).not.toMatch(unsafe);
    }),
  );
});

test('one line is one line and no longer than allowed', () => {
  expect(oneLine('  a\n\n b\tc  ')).toBe('a b c');
  expect(oneLine('abcdef', 4)).toBe('abc…');
  expect(oneLine('abcd', 4)).toBe('abcd');
  expect(oneLine('a👋bcd', 3)).toBe('a…');
});

test.each([
  [0, '0.0s'],
  [1_540, '1.5s'],
  [59_400, '59s'],
  [61_000, '1m 1s'],
  [3_600_000, '1h 0m'],
  [90_061_000, '25h 1m'],
])('%i ms are shown as %s', (ms, expected) => {
  expect(shortDuration(ms)).toBe(expected);
});

test('a command that is too long continues as a shell reads it, and a path breaks after its slashes', () => {
  const command = 'ralphd resume ralph-fix-tests-a1b2c3d4 --max-iterations 200 --accept-conditions';
  expect(commandLines(command, 40)).toEqual([
    'ralphd resume ralph-fix-tests-a1b2c3d4 \\',
    '  --max-iterations 200 \\',
    '  --accept-conditions',
  ]);
  expect(commandLines(command, 80)).toEqual([command]);
  expect(wrapPath('see .ralph/loops/ralph-fix-tests-a1b2c3d4/iterations/001/prompt now', 30)).toEqual([
    'see .ralph/loops/',
    'ralph-fix-tests-a1b2c3d4/',
    'iterations/001/prompt now',
  ]);
});

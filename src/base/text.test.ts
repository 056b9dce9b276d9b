import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundText, shellWord, shortCount, tailText } from './text.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });

test('a text within the bound is left unchanged', () => {
  expect(boundText('abc', 3)).toBe('abc');
  expect(tailText('abc', 3)).toBe('abc');
});

test('a long text keeps its beginning and its end and notes how much is missing', () => {
  expect(boundText('a'.repeat(500) + 'z'.repeat(500), 50)).toBe(
    `${'a'.repeat(9)}\n[… 982 characters left out …]\n${'z'.repeat(9)}`,
  );
});

test('no bound is ever exceeded and no character is split', () => {
  fc.assert(
    fc.property(anyText, fc.nat({ max: 200 }), (text, maxChars) => {
      for (const shortened of [boundText(text, maxChars), tailText(text, maxChars)]) {
        expect(shortened.length).toBeLessThanOrEqual(maxChars);
        expect(shortened.isWellFormed()).toBe(true);
      }
    }),
  );
});

test('neither side of the cut splits a character, wherever it falls', () => {
  for (let maxChars = 0; maxChars < 60; maxChars++)
    expect(boundText('😀'.repeat(100), maxChars).isWellFormed()).toBe(true);
});

test('the kept text and the number of omitted characters add up to the whole text', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 40, max: 200 }), (text, maxChars) => {
      const [head = '', leftOut, tail = ''] = boundText(text, maxChars).split(/\n\[… (\d+) characters left out …\]\n/);
      expect(text.startsWith(head)).toBe(true);
      expect(text.endsWith(tail)).toBe(true);
      expect(head.length + Number(leftOut ?? 0) + tail.length).toBe(text.length);
    }),
  );
});

test('the end of a text begins at a whole character', () => {
  expect(tailText('ab😀c', 2)).toBe('c');
  expect(tailText('ab😀c', 3)).toBe('😀c');
  expect(tailText('abc', 0)).toBe('');
});

test('a text with spaces and quotes is one word of a shell line', () => {
  expect(shellWord("it's here")).toBe("'it'\\''s here'");
});

test.each([
  [999, '999'],
  [1_000, '1.0k'],
  [9_949, '9.9k'],
  [9_950, '10k'],
  [999_499, '999k'],
  [999_500, '1.0M'],
  [12_345_678, '12.3M'],
])('%i tokens are shortened to %s', (count, expected) => {
  expect(shortCount(count)).toBe(expected);
});

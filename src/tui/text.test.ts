import { expect, test } from 'vitest';
import { cell, clip, line, lineText, lineWidth, rule, spread, strong, wrap, wrapLine } from './text.ts';

test.each([
  [10, 'one 日本語', 'one 日本語'],
  [9, 'one 日本語', 'one 日本…'],
  [1, 'one', '…'],
  [0, 'one', ''],
])('a line is cut at column %i', (columns, text, expected) => {
  expect(lineText(clip(line(text.slice(0, 4), strong(text.slice(4))), columns))).toBe(expected);
});

test('a cell has exactly its width, whatever is in it', () => {
  for (const text of ['', 'x', '日本語', 'long enough']) expect(lineWidth(cell(text, 5))).toBe(5);
  expect(lineText(cell('7', 3, 'right'))).toBe('  7');
});

test('the right part is dropped where there is no room for both', () => {
  expect(lineText(spread(line('left'), line('12:00'), 12))).toBe('left   12:00');
  expect(lineText(spread(line('left'), line('12:00'), 5))).toBe('left');
});

test('words wrap at spaces, and a word that is too wide wherever it ends', () => {
  expect(wrap('a bb cccccccc 日本', 4)).toEqual(['a bb', 'cccc', 'cccc', '日本']);
  expect(wrapLine(line('a ', strong('bb cc')), 5).map(lineText)).toEqual(['a bb ', 'cc']);
  expect(wrap('日', 1)).toEqual(['日']);
});

test('a rule keeps its title and its width', () => {
  expect(lineText(rule(20, 'NOW', 'ok'))).toBe('── NOW ─────── ok ──');
  expect(lineWidth(rule(30, 'NOW', 'ok'))).toBe(30);
  expect(lineWidth(rule(3, 'NOW'))).toBe(3);
});

import { expect, test } from 'vitest';
import { detailOf } from './tool-detail.ts';

test.each([
  [{ command: 'npm test', description: 'Run the tests' }, 'npm test'],
  [{ command: ['bash', '-lc', 'ls'] }, 'bash -lc ls'],
  [{ file_path: 'src/a.ts', content: 'x' }, 'src/a.ts'],
  [{ pattern: 'TODO', path: 'src' }, 'TODO'],
  [{ description: 'Look around', prompt: 'Long text' }, 'Look around'],
  [{ command: '', path: 'src' }, 'src'],
])('A061: what a call with %j is about is its most telling argument', (input, detail) => {
  expect(detailOf(input)).toBe(detail);
});

test.each([[undefined], [null], ['text'], [[1, 2]], [{}], [{ todos: [1] }], [{ command: 7 }], [{ command: ' \n' }]])(
  'A061: arguments that reveal nothing, such as %j, give no detail',
  (input) => {
    expect(detailOf(input)).toBeUndefined();
  },
);

test('A061: a detail is one line of bounded length that splits no character, however long the argument is', () => {
  expect(detailOf({ command: 'one\n\ttwo   three\n' })).toBe('one two three');
  const long = detailOf({ command: '😀'.repeat(1_000_000) }) ?? '';
  expect(long.length).toBeLessThanOrEqual(300);
  expect(long.isWellFormed()).toBe(true);
});

import { expect, test } from 'vitest';
import { countMarkers } from './markers.ts';

test.each([
  ['an empty answer', '', 0],
  ['each of the markers', '[PROGRESS] half\nDONE: parser\nCompleted: tests', 3],
  ['a list, and bold', '- DONE: one\n* **Completed:** two', 2],
  ['a word in a sentence', 'It is DONE: or so I think. We made [PROGRESS].', 0],
  ['an example in code', '```\nDONE: example\n```\nDONE: real', 1],
  ['the promise', '<promise>DONE</promise>', 0],
])('B049: markers in %s', (_case, text, found) => {
  expect(countMarkers(text)).toBe(found);
});

test('an answer full of markers counts no more than a hundred', () => {
  expect(countMarkers('DONE: x\n'.repeat(5_000))).toBe(100);
});

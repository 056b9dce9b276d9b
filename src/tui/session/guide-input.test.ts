import { expect, test } from 'vitest';
import { maxGuidanceLength } from '../../protocol/index.ts';
import { editDraft, emptyDraft, insert } from './guide-input.ts';

function typed(text: string, ...keys: readonly string[]) {
  return keys.reduce((draft, key) => editDraft(draft, key) ?? draft, insert(emptyDraft, text));
}

test.each([
  ['a character is removed as a reader sees it', typed('x👨‍👩‍👧', 'backspace'), { text: 'x', cursor: 1 }],
  ['delete removes the next one', typed('abc', 'left', 'left', 'delete'), { text: 'ac', cursor: 1 }],
  ['a word', typed('one two', 'ctrl-w'), { text: 'one ', cursor: 4 }],
  ['everything before the cursor', typed('one two', 'left', 'ctrl-u'), { text: 'o', cursor: 0 }],
  ['a line break', typed('one', 'alt-enter'), { text: 'one\n', cursor: 4 }],
  ['the ends of a line', typed('a\nbc\nd', 'left', 'left', 'home', 'end', 'right'), { text: 'a\nbc\nd', cursor: 5 }],
])('%s', (_name, draft, expected) => {
  expect(draft).toEqual(expected);
});

test('a paste keeps its line breaks and stays within the limit of guidance', () => {
  expect(insert(emptyDraft, 'a\r\nb\rc')).toEqual({ text: 'a\nb\nc', cursor: 5 });
  expect(insert(insert(emptyDraft, 'x'), 'y'.repeat(maxGuidanceLength)).text).toHaveLength(maxGuidanceLength);
});

test('a key that edits nothing is no edit', () => {
  expect(editDraft(emptyDraft, 'pgup')).toBeUndefined();
});

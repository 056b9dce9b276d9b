import { expect, test } from 'vitest';
import { line, strong } from '../text.ts';
import { createFrameWriter } from './frame.ts';

const size = { columns: 5, rows: 3 };
const theme = { hasColour: true, isAscii: false };

test('the first frame draws every row, and later ones only the rows that differ, in one piece', () => {
  const frames = createFrameWriter(theme);
  expect(frames.next([line('one'), line(strong('two'))], size)).toBe(
    '\u001b[?2026h\u001b[2J\u001b[1;1Hone\u001b[K\u001b[2;1H\u001b[1mtwo\u001b[0m\u001b[K\u001b[3;1H\u001b[K\u001b[?2026l',
  );
  expect(frames.next([line('one'), line(strong('two'))], size)).toBe('');
  // A row that fills the screen is not followed by an erasure, which would take its last character.
  expect(frames.next([line('one'), line('12345')], size)).toBe('\u001b[?2026h\u001b[2;1H12345\u001b[?2026l');
});

test('after a change of size, or when it was told to forget, everything is drawn again', () => {
  const frames = createFrameWriter(theme);
  frames.next([line('one')], size);
  expect(frames.next([line('one')], { columns: 5, rows: 2 })).toContain('\u001b[2J');
  expect(frames.next([line('one')], { columns: 5, rows: 2 })).toBe('');
  frames.forget();
  expect(frames.next([line('one')], { columns: 5, rows: 2 })).toContain('\u001b[2J');
});

import { columnsOf } from '../../base/index.ts';
import { maxGuidanceLength } from '../../protocol/index.ts';
import type { Draft } from '../session/guide-input.ts';
import { type Line, line, rule, span, strong, wrap } from '../text.ts';
import { keyRow } from './keys.ts';

/** Something that has opened above the keys. */
export interface Overlay {
  readonly lines: readonly Line[];
  readonly keys: Line;
}

/** One entry of the menu, with its consequence. */
export interface MenuEntry {
  readonly key: string;
  readonly name: string;
  readonly does: string;
}

/** The commands that are not for a single key. */
export function menuOverlay(entries: readonly MenuEntry[], name: string, columns: number): Overlay {
  const width = Math.max(6, ...entries.map((entry) => entry.name.length)) + 2;
  const rows = entries.map((entry) =>
    line(' ', strong(entry.key), ' ', strong(entry.name.padEnd(width)), columns < 60 ? '' : entry.does),
  );
  const remark = columns < 60 ? [] : [line(' stop and abort ask once more. The work stays in the work tree.')];
  return {
    lines: [rule(columns, `MORE, FOR ${name}`), ...rows, ...remark],
    keys: keyRow([['esc', 'back']], columns, []),
  };
}

/** A question before something that cannot be undone. */
export function confirmOverlay(question: string, columns: number): Overlay {
  const lines = wrap(question, columns - 2).map((each) => line(' ', strong(each)));
  return {
    lines: [rule(columns, 'ARE YOU SURE?'), ...lines],
    keys: keyRow(
      [
        ['y', 'yes'],
        ['n', 'no'],
      ],
      columns,
      [],
    ),
  };
}

/** Where guidance is typed: as many lines as it needs, up to a third of the screen, with the cursor in view. */
export function guideOverlay(
  draft: Draft,
  note: string,
  { columns, rows }: { columns: number; rows: number },
): Overlay {
  const before = draft.text.slice(0, draft.cursor);
  const width = Math.max(4, columns - 5);
  const all = visualLines(draft.text, width);
  const cursorRow = visualLines(before, width).length - 1;
  const room = Math.max(1, Math.floor(rows / 3) - 1);
  const first = Math.max(0, Math.min(cursorRow - room + 1, all.length - room));
  const cursorColumn = visualLines(before, width).at(-1)?.length ?? 0;
  const shown = all.slice(first, first + room).map((text, index) => {
    const isHere = first + index === cursorRow;
    if (!isHere) return line(' ', span('›', 'faint'), ` ${text}`);
    const [start, at, end] = [
      text.slice(0, cursorColumn),
      text.slice(cursorColumn, cursorColumn + 1),
      text.slice(cursorColumn + 1),
    ];
    return line(' ', span('›', 'faint'), ` ${start}`, span(at === '' ? ' ' : at, 'rest'), end);
  });
  const left = maxGuidanceLength - draft.text.length;
  const count = left < 2_000 ? `  ${left} characters left` : '';
  return {
    lines: [
      rule(columns, columns < 60 ? 'GUIDE' : 'GUIDE THE AGENT', columns < 60 ? '' : 'letters are text here, not keys'),
      ...shown,
      ...wrap(`${note}${count}`, columns - 2)
        .slice(0, 2)
        .map((each) => line(` ${each}`)),
    ],
    keys: keyRow(
      [
        ['enter', 'send'],
        ['alt-enter', 'new line'],
        ['esc', 'keep as draft'],
      ],
      columns,
      [],
    ),
  };
}

/** A text cut into rows of at most this many columns; every character keeps its place, so that a cursor can be shown. */
function visualLines(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((each) => {
    const rows: string[] = [];
    let row = '';
    for (const character of each) {
      if (columnsOf(row + character) > columns) {
        rows.push(row);
        row = '';
      }
      row += character;
    }
    return [...rows, row];
  });
}

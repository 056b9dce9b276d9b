import type { LoopState } from '../../views/index.ts';
import { clip, type Line, line, lineWidth, strong } from '../text.ts';

/** A key and what it does, in one or two words. */
export type KeyHint = readonly [key: string, does: string];

/** The keys that make sense for a loop in a state, the most useful first. */
export function loopKeys(state: LoopState, isMany: boolean): readonly KeyHint[] {
  const loops: readonly KeyHint[] = isMany ? [['l', 'loops']] : [];
  switch (state) {
    case 'waiting':
      return [['w', 'retry now'], ['p', 'pause'], ['g', 'guide'], ['enter', 'open'], ['x', 'more'], ...loops];
    case 'needs':
    case 'paused':
    case 'crashed':
    case 'parked':
      return [['r', 'resume here'], ['g', 'guide'], ['e', 'explain'], ['enter', 'open'], ['x', 'more'], ...loops];
    case 'asking':
      return [['x', 'decide'], ['d', 'diff'], ['g', 'guide'], ['e', 'explain'], ['enter', 'open'], ...loops];
    case 'proven':
    case 'green':
    case 'claimed':
    case 'stopped':
    case 'aborted':
      return [['d', 'diff'], ['enter', 'open'], ['e', 'explain'], ['o', 'pager'], ...loops];
    case 'frozen':
      return [['e', 'explain'], ['enter', 'open'], ['x', 'more'], ...loops];
    case 'starting':
    case 'running':
    case 'verifying':
    case 'hosted':
      return [
        ['p', 'pause'],
        ['g', 'guide'],
        ['enter', 'open'],
        ['d', 'diff'],
        ['x', 'more'],
        ...loops,
        ['o', 'pager'],
      ];
  }
}

/** How a screen is left and explained: never cut. */
const always: readonly KeyHint[] = [
  ['?', 'help'],
  ['q', 'leave'],
];

/** The last row: as many keys as there is room for. */
export function keyRow(hints: readonly KeyHint[], columns: number, last: readonly KeyHint[] = always): Line {
  const gap = columns < 60 ? ' ' : '  ';
  const shown = (count: number) =>
    line(
      ' ',
      [...hints.slice(0, count), ...last].flatMap(([key, does], index) =>
        line(index === 0 ? '' : gap, strong(key), ` ${does}`),
      ),
    );
  for (let count = hints.length; count > 0; count -= 1) {
    if (lineWidth(shown(count)) <= columns) return shown(count);
  }
  return clip(shown(0), columns);
}

import { clip, faint, type Line, line, rule, type Size, span, spread, strong } from '../text.ts';
import { keyRow } from './keys.ts';

/** A text that is read page by page. */
export interface Page {
  readonly title: string;
  /** Missing while it is being read. */
  readonly lines?: readonly string[];
  /** The first line shown. */
  readonly top: number;
  /** What is searched for. */
  readonly search?: string | undefined;
  /** The person is typing what to search for. */
  readonly isSearching?: boolean | undefined;
}

/** How many lines of a page are visible. */
export function pageRoom({ rows }: Size): number {
  return Math.max(1, rows - 3);
}

/** One text on the whole screen. */
export function pageScreen({ title, lines, top, search, isSearching }: Page, size: Size): readonly Line[] {
  const { columns, rows } = size;
  const room = pageRoom(size);
  const all = lines ?? ['Reading …'];
  const last = Math.min(all.length, top + room);
  const place = lines === undefined ? '' : `${Math.min(top + 1, last)} to ${last} of ${all.length}`;
  const shown = all.slice(top, last).map((text) => clip(marked(text, search), columns));
  const filling = Array.from({ length: Math.max(0, room - shown.length) }, () => line());
  const keys =
    isSearching === true
      ? line(strong(' find: '), search ?? '', span(' ', 'rest'))
      : keyRow(
          [
            ['↑↓ pgup pgdn', 'scroll'],
            ['/', 'find'],
            ['n', 'next'],
            ['o', 'pager'],
          ],
          columns,
          [
            ['esc', 'back'],
            ['q', 'leave'],
          ],
        );
  const head = spread(line(' ', strong(title)), line(faint(place), ' '), columns);
  return [head, rule(columns), ...shown, ...filling, keys].slice(0, rows).map((each) => clip(each, columns));
}

/** A line with what was found in reverse. */
function marked(text: string, search: string | undefined): Line {
  const at = search === undefined || search === '' ? -1 : text.toLowerCase().indexOf(search.toLowerCase());
  if (at === -1 || search === undefined) return line(text);
  return line(text.slice(0, at), span(text.slice(at, at + search.length), 'rest'), text.slice(at + search.length));
}

import { columnsOf, keepStart, scrub } from '../base/index.ts';

/**
 * How a piece of text looks. `move`, `proof`, `you` and `stop` are grounds with black ink, because coloured ink is
 * hard to read on light palettes; `bad` is the only coloured ink.
 */
export type Tone = 'plain' | 'strong' | 'faint' | 'bad' | 'move' | 'proof' | 'you' | 'stop' | 'rest';

/** A piece of a line in one tone. Made only by `span`, so that no text can draw. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One row of the screen. */
export type Line = readonly Span[];

/** What a line can be made of. */
export type Part = string | Span | Line;

/** The size of a terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Text of any origin in one tone: one line, without anything that a terminal would obey. */
export function span(text: string, tone: Tone = 'plain'): Span {
  return { text: printable(text), tone };
}

/** Text in bold. */
export function strong(text: string): Span {
  return span(text, 'strong');
}

/** Text that may be overlooked. */
export function faint(text: string): Span {
  return span(text, 'faint');
}

/** A line from its parts; plain strings are plain text. */
export function line(...parts: readonly Part[]): Line {
  return parts.flatMap((part) => (typeof part === 'string' ? [span(part)] : isSpan(part) ? [part] : part));
}

/** How many columns a line takes. */
export function lineWidth(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + columnsOf(text), 0);
}

/** The text of a line without its looks. */
export function lineText(spans: Line): string {
  return spans.map(({ text }) => text).join('');
}

/** Cuts a line at the edge, with an ellipsis. */
export function clip(spans: Line, columns: number): Line {
  if (lineWidth(spans) <= columns) return spans;
  const kept: Span[] = [];
  let room = Math.max(0, columns);
  for (const each of spans) {
    if (room === 0) break;
    const width = columnsOf(each.text);
    const isLast = width >= room;
    const text = isLast ? keepStart(`${each.text}…`, room) : each.text;
    kept.push({ ...each, text });
    room -= isLast ? room : width;
  }
  return kept;
}

/** Fills a line up with spaces, in the tone of its ground. */
export function pad(spans: Line, columns: number, tone: Tone = 'plain'): Line {
  const room = columns - lineWidth(spans);
  return room <= 0 ? spans : [...spans, { text: ' '.repeat(room), tone }];
}

/** A cell of a table: exactly this many columns wide. */
export function cell(part: Part, columns: number, side: 'left' | 'right' = 'left'): Line {
  const cut = clip(line(part), columns);
  const room = ' '.repeat(Math.max(0, columns - lineWidth(cut)));
  return side === 'left' ? line(cut, room) : line(room, cut);
}

/** A line with one part at each edge; the left one is cut if there is no room for both. */
export function spread(left: Line, right: Line, columns: number): Line {
  const room = columns - lineWidth(right) - 1;
  return room < 1 ? clip(left, columns) : line(cell(left, room), ' ', right);
}

/** A rule across the screen, with a title and a remark in it. */
export function rule(columns: number, title = '', remark = ''): Line {
  if (title === '') return [faint('─'.repeat(columns))];
  const head = line(faint('── '), strong(title), ' ');
  const end = remark === '' ? [] : line(faint(` ${remark} ──`));
  const room = columns - lineWidth(head) - lineWidth(end);
  return room < 1 ? pad(clip(head, columns), columns) : line(head, faint('─'.repeat(room)), end);
}

/** Wraps a text at spaces, and a word that is too wide wherever it ends. */
export function wrap(text: string, columns: number): readonly string[] {
  const width = Math.max(1, columns);
  const lines: string[] = [];
  for (const word of printable(text)
    .split(' ')
    .flatMap((each) => pieces(each, width))) {
    const last = lines.at(-1);
    if (last === undefined || columnsOf(last) + 1 + columnsOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Wraps a line at spaces and keeps the tone of each word. */
export function wrapLine(spans: Line, columns: number): readonly Line[] {
  const width = Math.max(1, columns);
  const words = spans.flatMap(({ text, tone }) =>
    text.split(/(?<= )/u).flatMap((word) => pieces(word, width).map((piece) => ({ text: piece, tone }))),
  );
  const lines: Span[][] = [[]];
  for (const word of words) {
    const last = lines.at(-1) ?? [];
    const isFull = last.length > 0 && lineWidth(last) + columnsOf(word.text.trimEnd()) > width;
    if (isFull) lines.push([word]);
    else last.push(word);
  }
  return lines;
}

/** A word in pieces that fit. */
function pieces(word: string, columns: number): readonly string[] {
  const found: string[] = [];
  let rest = word;
  while (columnsOf(rest) > columns) {
    const start = keepStart(rest, columns + 1).slice(0, -1);
    // Nothing fits: a wide character in a single column.
    if (start === '') return [...found, rest];
    found.push(start);
    rest = rest.slice(start.length);
  }
  return [...found, rest];
}

/** More marks than these on one character would reach into other rows. */
const tooManyMarks = /(\p{Mark}{3})\p{Mark}+/gu;

/** The one place where text of any origin becomes harmless. */
function printable(text: string): string {
  return scrub(text)
    .replaceAll(/[\n\t]/g, ' ')
    .replaceAll(tooManyMarks, '$1');
}

function isSpan(part: Span | Line): part is Span {
  return !Array.isArray(part);
}

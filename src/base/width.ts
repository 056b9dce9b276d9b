import { scrub } from './scrub.ts';

/*
 * How many columns text takes in a terminal. The package string-width knows more special cases, but costs a start of
 * ralphd 17 ms; this costs less than one, and nothing more for plain ASCII.
 */

/** Latin, punctuation, arrows and lines: what ralphd itself prints. Each of them is one character to a reader. */
export const simple = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25ff]*$/;
/** The same without the two squares that are drawn as emoji: each character takes one column. */
const narrow = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25fc\u25ff]*$/;
const visible = /[^\p{Mark}\p{Control}\p{Format}\p{Default_Ignorable_Code_Point}]/u;
const emoji = /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator})|\ufe0f|\p{Extended_Pictographic}\u200d/u;

/** Blocks of East Asian characters that take two columns: first and last code point. */
const wideBlocks: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/** How many columns a text takes. */
export function columnsOf(text: string): number {
  if (narrow.test(text)) return text.length;
  return clustersOf(text).reduce((sum, cluster) => sum + clusterWidth(cluster), 0);
}

/** Pads a text with trailing spaces to a number of columns. */
export function padAfter(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

/** Pads a text with leading spaces to a number of columns. */
export function padBefore(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - columnsOf(text))) + text;
}

/** Truncates a text at the end, with an ellipsis. */
export function keepStart(text: string, maxColumns: number): string {
  if (columnsOf(text) <= maxColumns) return text;
  return `${fitting(clustersOf(text), maxColumns - 1).join('')}…`;
}

/** Untrusted text on one line, truncated to a number of columns. */
export function oneLine(text: string, maxColumns = 80): string {
  return keepStart(scrub(text).replace(/\s+/gu, ' ').trim(), maxColumns);
}

/** Truncates a text at the end, between two words where it has more than one, with an ellipsis. */
export function keepWords(text: string, maxColumns: number): string {
  if (columnsOf(text) <= maxColumns) return text;
  const start = fitting(clustersOf(text), maxColumns - 1).join('');
  const isBetween = text.charAt(start.length) === ' ';
  const whole = isBetween ? start : start.slice(0, Math.max(0, start.lastIndexOf(' ')));
  return `${whole.trim() === '' ? start : whole.trimEnd()}…`;
}

/** Truncates a text at the start, with an ellipsis. */
export function keepEnd(text: string, maxColumns: number): string {
  if (columnsOf(text) <= maxColumns) return text;
  return `…${fitting(clustersOf(text).toReversed(), maxColumns - 1)
    .toReversed()
    .join('')}`;
}

function fitting(clusters: readonly string[], columns: number): readonly string[] {
  let left = columns;
  const end = clusters.findIndex((cluster) => (left -= clusterWidth(cluster)) < 0);
  return end === -1 ? clusters : clusters.slice(0, end);
}

let segmenter: Intl.Segmenter | undefined;

/** What a reader sees as one character, however many code points it has. */
function clustersOf(text: string): readonly string[] {
  if (simple.test(text)) return text.split('');
  // Made once, and only when it is needed: it takes longer than measuring a screen.
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function clusterWidth(cluster: string): number {
  const base = visible.exec(cluster)?.[0].codePointAt(0);
  if (base === undefined) return 0;
  return emoji.test(cluster) || wideBlocks.some(([first, last]) => first <= base && base <= last) ? 2 : 1;
}

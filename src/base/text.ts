/**
 * Shortens a text to at most `maxChars` UTF-16 units by cutting out its middle and noting on a separate line
 * how much was left out. Neither cut splits a character; a bound too small for that line keeps only the end.
 */
export function boundText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const room = maxChars - leftOutLine(text.length).length;
  if (room < 2) return tailText(text, maxChars);
  const tail = tailText(text, Math.floor(room / 2));
  const head = headText(text, room - Math.floor(room / 2));
  return head + leftOutLine(text.length - head.length - tail.length) + tail;
}

/** The last `maxChars` UTF-16 units of a text, or one fewer if that would split a character. */
export function tailText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const start = text.length - Math.max(0, maxChars);
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

/** The first `maxChars` UTF-16 units of a text, or one fewer if that would split a character. */
export function headText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return text.slice(0, splitsPair(text, maxChars) ? maxChars - 1 : maxChars);
}

function leftOutLine(chars: number): string {
  return `\n[… ${chars} characters left out …]\n`;
}

function splitsPair(text: string, index: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(index - 1, index + 1));
}

/** Orders texts by their units. The collation of a language takes milliseconds to load. */
export function byText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** A text as one word of a shell line. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A number in at most five columns. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return count < 9_950 ? `${(count / 1_000).toFixed(1)}k` : `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** Untrusted text for one line of Markdown: it cannot become markup, a list, HTML or a mention, nor leave its cell. */
export function escapeMarkdown(line: string): string {
  return line
    .replaceAll(/[\\`*_[\]<>|~&$#!]/g, '\\$&')
    .replace(/^([-+=])/, '\\$1')
    .replace(/^(\d+)([.)])/, '$1\\$2')
    .replaceAll('@', '@\u200b');
}

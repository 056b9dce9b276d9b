import type { Cursor } from './words.ts';

const blank = /(?:[ \t\r]|\\\n)+/y;
const comment = /#[^\n]*/y;

/** Skips blanks, line continuations and a comment. */
export function skipBlanks(cursor: Cursor): void {
  skip(cursor, blank);
  const before = cursor.source[cursor.at - 1];
  if (before === undefined || ' \t\r\n;&|()'.includes(before)) skip(cursor, comment);
}

/** Skips blanks and line breaks, with the here-documents that follow them. */
export function skipLines(cursor: Cursor): void {
  for (;;) {
    skipBlanks(cursor);
    if (cursor.source[cursor.at] !== '\n') return;
    cursor.at += 1;
    skipHereDocuments(cursor);
  }
}

/** Skips what the pattern matches here and returns it; empty when it does not match. */
export function skip(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.source)?.[0] ?? '';
  cursor.at += found.length;
  return found;
}

function skipHereDocuments(cursor: Cursor): void {
  const { source } = cursor;
  for (const { delimiter, stripsTabs } of cursor.hereDocuments.splice(0)) {
    for (;;) {
      if (cursor.at >= source.length) {
        cursor.isComplete = false;
        return;
      }
      const end = source.indexOf('\n', cursor.at);
      const line = source.slice(cursor.at, end === -1 ? undefined : end);
      cursor.at = end === -1 ? source.length : end + 1;
      if ((stripsTabs ? line.replace(/^\t+/, '') : line) === delimiter) break;
    }
  }
}

const reserved =
  /(?:if|then|elif|else|fi|for|while|until|select|do|done|case|esac|function|time|\{|\}|!|\[\[)(?=[\s;&|<>()]|$)/y;

/** The reserved word that begins here; empty when none does. */
export function peekReserved(cursor: Cursor): string {
  reserved.lastIndex = cursor.at;
  return reserved.exec(cursor.source)?.[0] ?? '';
}

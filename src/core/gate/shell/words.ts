import type { Script, Word } from './tree.ts';

/** The position of the parser in a text, and its state. */
export interface Cursor {
  readonly source: string;
  at: number;
  depth: number;
  /** Becomes false at the first thing that a shell would reject or that the parser does not understand. */
  isComplete: boolean;
  readonly hereDocuments: { readonly delimiter: string; readonly stripsTabs: boolean }[];
  /** How many open constructs expect each closing word or sign. */
  readonly expectedClosers: Map<string, number>;
  /** Reads commands up to a closing sign, and past it. */
  readonly readSubstitution: (cursor: Cursor, closing: string) => Script;
}

const endsWord = new Set(' \t\n;&|<>()');
const maxDepth = 50;

/** A word under construction. */
interface Draft {
  text: string;
  isQuoted: boolean;
  readonly substitutions: Script[];
}

/** Reads one word; undefined when none begins here. */
export function readWord(cursor: Cursor): Word | undefined {
  const start = cursor.at;
  const draft: Draft = { text: '', isQuoted: false, substitutions: [] };
  for (;;) {
    const sign = cursor.source[cursor.at];
    if (sign === undefined) break;
    if (endsWord.has(sign)) {
      if (!takesParenthesis(cursor, draft, sign)) break;
      continue;
    }
    readPart(cursor, draft, sign);
  }
  return cursor.at === start ? undefined : { ...draft, start, end: cursor.at };
}

/** Arrays (`a=(1 2)`), patterns (`+(a|b)`) and process substitutions (`<(…)`) are parts of a word. */
function takesParenthesis(cursor: Cursor, draft: Draft, sign: string): boolean {
  const { source, at } = cursor;
  if ((sign === '<' || sign === '>') && source[at + 1] === '(') {
    substitute(cursor, draft, 2);
    return true;
  }
  if (sign !== '(' || draft.isQuoted || !/^\w+\+?=$|[?*+@]$/.test(draft.text)) return false;
  take(cursor, draft, balancedEnd(cursor, at));
  return true;
}

function readPart(cursor: Cursor, draft: Draft, sign: string): void {
  const { source, at } = cursor;
  switch (sign) {
    case '\\':
      if (source[at + 1] !== '\n') draft.text += source[at + 1] ?? '';
      draft.isQuoted = true;
      cursor.at = Math.min(at + 2, source.length);
      return;
    case "'":
      return readSingle(cursor, draft, at + 1);
    case '"':
      return readDouble(cursor, draft);
    case '$':
      return readExpansion(cursor, draft);
    case '`':
      return readBackticks(cursor, draft);
    default:
      draft.text += sign;
      cursor.at += 1;
  }
}

function readSingle(cursor: Cursor, draft: Draft, from: number): void {
  const end = cursor.source.indexOf("'", from);
  if (end === -1) cursor.isComplete = false;
  draft.text += cursor.source.slice(from, end === -1 ? undefined : end);
  draft.isQuoted = true;
  cursor.at = end === -1 ? cursor.source.length : end + 1;
}

function readDouble(cursor: Cursor, draft: Draft): void {
  const { source } = cursor;
  draft.isQuoted = true;
  cursor.at += 1;
  for (;;) {
    const sign = source[cursor.at];
    if (sign === undefined) {
      cursor.isComplete = false;
      return;
    }
    if (sign === '"') {
      cursor.at += 1;
      return;
    }
    if (sign === '\\') {
      const next = source[cursor.at + 1] ?? '';
      draft.text += next === '\n' ? '' : '$`"\\'.includes(next) ? next : `\\${next}`;
      cursor.at = Math.min(cursor.at + 2, source.length);
    } else if (sign === '$') readExpansion(cursor, draft, true);
    else if (sign === '`') readBackticks(cursor, draft);
    else {
      draft.text += sign;
      cursor.at += 1;
    }
  }
}

/** `$(…)`, `$((…))`, `${…}`, `$'…'`; any other dollar is literal. */
function readExpansion(cursor: Cursor, draft: Draft, inQuotes = false): void {
  const { source, at } = cursor;
  const next = source[at + 1];
  if (next === '{') return take(cursor, draft, balancedEnd(cursor, at + 1));
  if (next === "'" && !inQuotes) return readAnsi(cursor, draft);
  if (next !== '(') return take(cursor, draft, at + 1);
  if (source[at + 2] === '(') {
    const end = balancedEnd(cursor, at + 1);
    if (source[end - 2] === ')') return take(cursor, draft, end);
  }
  substitute(cursor, draft, 2);
}

function readAnsi(cursor: Cursor, draft: Draft): void {
  const { source } = cursor;
  let end = cursor.at + 2;
  while (end < source.length && source[end] !== "'") end += source[end] === '\\' ? 2 : 1;
  if (end >= source.length) cursor.isComplete = false;
  draft.text += source.slice(cursor.at + 2, end);
  draft.isQuoted = true;
  cursor.at = Math.min(end + 1, source.length);
}

function substitute(cursor: Cursor, draft: Draft, opening: number): void {
  const start = cursor.at;
  cursor.at += opening;
  if (cursor.depth >= maxDepth) {
    cursor.isComplete = false;
    cursor.at = cursor.source.length;
  } else draft.substitutions.push(cursor.readSubstitution(cursor, ')'));
  draft.text += cursor.source.slice(start, cursor.at);
}

/** The text between backticks is parsed separately, because backslashes have another meaning in it. */
function readBackticks(cursor: Cursor, draft: Draft): void {
  const { source, at } = cursor;
  let end = at + 1;
  while (end < source.length && source[end] !== '`') end += source[end] === '\\' ? 2 : 1;
  if (end >= source.length) cursor.isComplete = false;
  const inside = source.slice(at + 1, end).replace(/\\([`\\$])/g, '$1');
  if (cursor.depth >= maxDepth) cursor.isComplete = false;
  else {
    const inner: Cursor = {
      ...cursor,
      source: inside,
      at: 0,
      depth: cursor.depth + 1,
      hereDocuments: [],
      expectedClosers: new Map(),
    };
    draft.substitutions.push(cursor.readSubstitution(inner, ''));
    if (!inner.isComplete) cursor.isComplete = false;
  }
  take(cursor, draft, Math.min(end + 1, source.length));
}

function take(cursor: Cursor, draft: Draft, end: number): void {
  draft.text += cursor.source.slice(cursor.at, end);
  cursor.at = end;
}

const closes: Readonly<Record<string, string>> = { '(': ')', '{': '}' };

/** The position after the bracket that closes the one at `from`; the end of the text when none does. */
export function balancedEnd(cursor: Cursor, from: number): number {
  const { source } = cursor;
  const open = source[from] ?? '';
  const close = closes[open];
  let depth = 0;
  let quote = '';
  for (let at = from; at < source.length; at += 1) {
    const sign = source[at] ?? '';
    if (sign === '\\' && quote !== "'") at += 1;
    else if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === "'" || sign === '"') quote = sign;
    else if (sign === open) depth += 1;
    else if (sign === close) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  cursor.isComplete = false;
  return source.length;
}

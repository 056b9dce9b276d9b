import { minFormLength } from './redact-forms.ts';
import { createDictionary, type Dictionary, leadingRemnant, type Secret, scan } from './redact-scan.ts';

/** Replaces the values of secrets in texts with their names. */
export interface Redactor {
  /** A text without secrets. A part of a secret that truncation left at either end is removed too. */
  redact(text: string): string;
  /** A JSON value without secrets in its texts; the same value if there are none. The `kept` fields are not changed. */
  redactDeep<Value>(value: Value, kept?: ReadonlySet<string>): Value;
  /** Redacts a stream of text: a secret that is split across pieces is found as well. */
  stream(): RedactedStream;
}

/** A stream of text without secrets. Only what may be the beginning of a secret is held back. */
export interface RedactedStream {
  push(chunk: string): string;
  end(): string;
}

/** A redactor for the given secrets: one pass over a text, whatever their number. */
export function createRedactor(secrets: Iterable<Secret>): Redactor {
  const dictionary = createDictionary(secrets);
  if (dictionary === undefined) return idleRedactor;
  const redact = (text: string) => redactText(dictionary, text);
  return {
    redact,
    redactDeep: (value, kept) => deeply(value, redact, kept),
    stream: () => createStream(dictionary),
  };
}

const none: ReadonlySet<string> = new Set();

const idleRedactor: Redactor = {
  redact: (text) => text,
  redactDeep: (value) => value,
  stream: () => ({ push: (chunk) => chunk, end: () => '' }),
};

/** The line that replaces the middle of a shortened text. */
const cutLine = /(\n\[… \d+ (?:characters|bytes) left out …\]\n)/;

function redactText(dictionary: Dictionary, text: string): string {
  if (text.length < minFormLength) return text;
  if (!text.includes(' left out …]\n')) return redactPiece(dictionary, text);
  const pieces = text.split(cutLine);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : redactPiece(dictionary, piece))).join('');
}

function redactPiece(dictionary: Dictionary, text: string): string {
  if (text.length < minFormLength) return text;
  const { length = 0, mark = '' } = leadingRemnant(dictionary, text) ?? {};
  return mark + scan(dictionary, text, { covered: length, isLast: true }).shown;
}

function createStream(dictionary: Dictionary): RedactedStream {
  let rest = '';
  let covered = 0;
  const scanMore = (text: string, isLast: boolean) => {
    const found = scan(dictionary, text, { covered, isLast });
    ({ rest, covered } = found);
    return found.shown;
  };
  return { push: (chunk) => scanMore(rest + chunk, false), end: () => scanMore(rest, true) };
}

function deeply<Value>(value: Value, redact: (text: string) => string, kept = none): Value {
  if (typeof value === 'string') return redact(value) as Value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const clean = items.map((item) => deeply(item, redact));
    return clean.every((item, index) => item === items[index]) ? value : (clean as Value);
  }
  const changed = Object.entries(value).flatMap(([key, field]: [string, unknown]) => {
    const clean = kept.has(key) ? field : deeply(field, redact);
    return clean === field ? [] : [[key, clean] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

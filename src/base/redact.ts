import { shortestForm } from './redact-forms.ts';
import { createDictionary, type Dictionary, leadingRemnant, type Secret, scan } from './redact-scan.ts';

/** Takes the values of secrets out of texts and puts their names in. */
export interface Redactor {
  /** A text without secrets. Also what a cut has left of a secret at one of its ends is taken out. */
  redact(text: string): string;
  /** A JSON value without secrets in its texts; the same value when there are none. Its own `kept` fields stay. */
  redactDeep<Value>(value: Value, kept?: ReadonlySet<string>): Value;
  /** Redacts a stream of text: a secret that is split over pieces is found all the same. */
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

/** The line that stands where the middle of a text was cut out. */
const cutLine = /(\n\[… \d+ (?:characters|bytes) left out …\]\n)/;

function redactText(dictionary: Dictionary, text: string): string {
  if (text.length < shortestForm) return text;
  if (!text.includes(' left out …]\n')) return redactPiece(dictionary, text);
  const pieces = text.split(cutLine);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : redactPiece(dictionary, piece))).join('');
}

function redactPiece(dictionary: Dictionary, text: string): string {
  if (text.length < shortestForm) return text;
  const { length = 0, mark = '' } = leadingRemnant(dictionary, text) ?? {};
  return mark + scan(dictionary, text, { covered: length, isLast: true }).shown;
}

function createStream(dictionary: Dictionary): RedactedStream {
  let rest = '';
  let covered = 0;
  const look = (text: string, isLast: boolean) => {
    const found = scan(dictionary, text, { covered, isLast });
    ({ rest, covered } = found);
    return found.shown;
  };
  return { push: (chunk) => look(rest + chunk, false), end: () => look(rest, true) };
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

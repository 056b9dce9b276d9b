import { formsOf, minFormLength } from './redact-forms.ts';

/** A value that must not be shown, and the name it is known by. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

interface Form {
  readonly text: string;
  readonly mark: string;
  /** The minimum length of a part that reveals too much. */
  readonly minRevealing: number;
}

/** All forms of all secrets, so that one pass over a text finds any of them. */
export interface Dictionary {
  /** Finds the first characters of any form; all of the same length. */
  readonly heads: RegExp;
  /** Forms by their first characters, the longest first. */
  readonly byHead: ReadonlyMap<string, readonly Form[]>;
  /** All beginnings of those first characters. */
  readonly beginnings: ReadonlySet<string>;
  readonly forms: readonly Form[];
  /** Whether a text may begin in the middle of a form. */
  readonly mayBeCut: (text: string) => boolean;
}

/** The dictionary of the given secrets; undefined if there is nothing to look for. */
export function createDictionary(secrets: Iterable<Secret>): Dictionary | undefined {
  const forms = toForms(secrets);
  if (forms.length === 0) return undefined;
  const byHead = new Map<string, Form[]>();
  for (const form of forms) {
    const head = form.text.slice(0, minFormLength);
    byHead.set(head, [...(byHead.get(head) ?? []), form]);
  }
  const heads = [...byHead.keys()];
  let isInside: ((text: string) => boolean) | undefined;
  return {
    heads: new RegExp(heads.map((head) => head.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g'),
    byHead,
    beginnings: new Set(
      heads.flatMap((head) => Array.from({ length: minFormLength - 1 }, (_, at) => head.slice(0, at + 1))),
    ),
    forms,
    mayBeCut: (text) => (isInside ??= insideOf(forms))(text),
  };
}

function toForms(secrets: Iterable<Secret>): readonly Form[] {
  const named = [...secrets].map(({ name, value }) => ({ mark: markOf(name), value }));
  const marks = named.map(({ mark }) => mark).join('\n');
  const forms = new Map<string, Form>();
  for (const { mark, value } of named) {
    for (const text of formsOf(value)) {
      // A secret that is part of a mark would be found in the mark again and again.
      if (forms.has(text) || marks.includes(text)) continue;
      forms.set(text, { text, mark, minRevealing: Math.max(minFormLength, Math.ceil(text.length / 4)) });
    }
  }
  return [...forms.values()].sort((a, b) => b.text.length - a.text.length);
}

function markOf(name: string): string {
  return `[redacted:${name.replace(/[^\w.]+/g, '_').slice(0, 40)}]`;
}

/** The result of scanning a text. */
export interface Scan {
  readonly shown: string;
  /** What can only be judged together with what follows. */
  readonly rest: string;
  /** How much of the rest belongs to a secret that is already marked. */
  readonly covered: number;
}

/** Redacts a text whose first `covered` characters belong to a secret before it; the last text leaves no rest. */
export function scan(dictionary: Dictionary, text: string, from: { covered: number; isLast: boolean }): Scan {
  const { heads, byHead } = dictionary;
  let shown = '';
  let at = from.covered;
  let limit = from.isLast ? text.length : firstBeginning(dictionary, text);
  heads.lastIndex = 0;
  for (let head = heads.exec(text); head !== null; head = heads.exec(text)) {
    const { index } = head;
    heads.lastIndex = index + 1;
    const candidates = byHead.get(head[0]) ?? [];
    const begun = begunForms(candidates, text, index);
    if (begun.length > 0 && !from.isLast) {
      limit = index;
      break;
    }
    const remnant = begun.find(({ minRevealing }) => text.length - index >= minRevealing);
    const found = remnant ?? candidates.find((form) => text.startsWith(form.text, index));
    if (found === undefined) continue;
    if (index >= at) shown += text.slice(at, index) + found.mark;
    at = Math.max(at, Math.min(text.length, index + found.text.length));
  }
  return { shown: shown + text.slice(at, limit), rest: text.slice(limit), covered: Math.max(0, at - limit) };
}

/** The forms that the end of the text cuts off. */
function begunForms(candidates: readonly Form[], text: string, index: number): readonly Form[] {
  const room = text.length - index;
  return candidates.filter((form) => form.text.length > room && form.text.startsWith(text.slice(index)));
}

/** Where the end of a text may be the first few characters of a form. */
function firstBeginning({ beginnings }: Dictionary, text: string): number {
  for (let at = Math.max(0, text.length - minFormLength + 1); at < text.length; at += 1) {
    if (beginnings.has(text.slice(at))) return at;
  }
  return text.length;
}

/** What truncation left of a secret at the beginning of a text. */
export function leadingRemnant(
  { forms, mayBeCut }: Dictionary,
  text: string,
): { readonly length: number; readonly mark: string } | undefined {
  if (!mayBeCut(text)) return undefined;
  const start = text.slice(0, minFormLength);
  let longest: { readonly length: number; readonly mark: string } | undefined;
  for (const form of forms) {
    for (let at = form.text.indexOf(start, 1); at !== -1; at = form.text.indexOf(start, at + 1)) {
      const remnant = form.text.slice(at, at + text.length);
      const isOne = remnant.length >= form.minRevealing && text.startsWith(remnant);
      if (isOne && remnant.length > (longest?.length ?? 0)) longest = { length: remnant.length, mark: form.mark };
    }
  }
  return longest;
}

/** Whether eight consecutive characters may be part of a form. Rarely wrong, and then only with a false positive. */
function insideOf(forms: readonly Form[]): (text: string) => boolean {
  const bits = new Uint8Array(2 ** (placeBits - 3));
  const has = (place: number) => ((bits[place >>> 3] ?? 0) & (1 << (place & 7))) !== 0;
  const add = (place: number) => {
    bits[place >>> 3] = (bits[place >>> 3] ?? 0) | (1 << (place & 7));
  };
  for (const { text } of forms) {
    for (let at = 1; at + minFormLength <= text.length; at += 1) {
      const hash = hashAt(text, at);
      add(hash >>> (32 - placeBits));
      add(hash & lowBits);
    }
  }
  return (text) => {
    const hash = hashAt(text, 0);
    return has(hash >>> (32 - placeBits)) && has(hash & lowBits);
  };
}

const placeBits = 20;
const lowBits = 2 ** placeBits - 1;

function hashAt(text: string, at: number): number {
  let hash = 2166136261;
  for (let index = at; index < at + minFormLength; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 16777619);
  }
  return hash >>> 0;
}

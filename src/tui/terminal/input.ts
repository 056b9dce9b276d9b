import { StringDecoder } from 'node:string_decoder';

/** What a person did at the keyboard: pressed a key, or pasted a text. */
export type Input =
  /** Such as `a`, `up`, `ctrl-c`, `alt-enter`. */
  { readonly kind: 'key'; readonly key: string } | { readonly kind: 'paste'; readonly text: string };

/** Turns the bytes of a terminal into keys; a sequence or a character may be split across chunks. */
export interface InputReader {
  push(chunk: Uint8Array): readonly Input[];
  /** What only more bytes could have completed: a lone escape is a key. */
  flush(): readonly Input[];
  /** Whether something is held back. */
  readonly isPending: boolean;
}

const escape = '\u001b';
const pasteStart = `${escape}[200~`;
const pasteEnd = `${escape}[201~`;
/** More than any guidance may hold; the rest of a larger paste is dropped. */
const maxPaste = 100_000;
/** No key has a longer sequence. */
const maxSequence = 32;

// Complete control sequences and single shifts; the groups are the parameters and the final character.
const control = /^\u001b\[([0-9;:<=>?]*)[ -/]*([@-~])/u;
const shift = /^\u001bO([@-~])/u;

const finals: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  M: 'enter',
};
const numbers: Readonly<Record<string, string>> = {
  '1': 'home',
  '3': 'delete',
  '4': 'end',
  '5': 'pgup',
  '6': 'pgdn',
  '7': 'home',
  '8': 'end',
};
const characters: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  [escape]: 'esc',
};

/** Reads the input of a terminal in raw mode. */
export function createInputReader(): InputReader {
  const decoder = new StringDecoder('utf8');
  let held = '';
  let paste: string | undefined;

  const takePaste = (found: Input[]): boolean => {
    const end = held.indexOf(pasteEnd);
    const part = end === -1 ? held.slice(0, Math.max(0, held.length - pasteEnd.length)) : held.slice(0, end);
    paste = ((paste ?? '') + part).slice(0, maxPaste);
    held = end === -1 ? held.slice(part.length) : held.slice(end + pasteEnd.length);
    if (end === -1) return false;
    found.push({ kind: 'paste', text: paste });
    paste = undefined;
    return true;
  };
  const takeKey = (found: Input[]): boolean => {
    if (held.startsWith(pasteStart)) {
      held = held.slice(pasteStart.length);
      paste = '';
      return true;
    }
    const read = readKey(held);
    if (read === undefined) return false;
    held = held.slice(read.length);
    if (read.key !== undefined) found.push({ kind: 'key', key: read.key });
    return true;
  };
  const drain = (): readonly Input[] => {
    const found: Input[] = [];
    while (held !== '' && (paste === undefined ? takeKey(found) : takePaste(found))) continue;
    return found;
  };
  return {
    push(chunk) {
      held += decoder.write(Buffer.from(chunk));
      return drain();
    },
    flush() {
      if (paste !== undefined || held === '') return [];
      const isEscape = held === escape;
      held = '';
      return isEscape ? [{ kind: 'key', key: 'esc' }] : [];
    },
    get isPending() {
      return held !== '' && paste === undefined;
    },
  };
}

/** The first key and how long its sequence is; without a key, the sequence means nothing here. */
function readKey(text: string): { readonly length: number; readonly key?: string } | undefined {
  if (!text.startsWith(escape)) return plainKey(text);
  const sequence = control.exec(text) ?? shift.exec(text);
  if (sequence !== null) return sequenceKey(sequence);
  const second = text.charAt(1);
  if (second === '[' || second === 'O') return text.length > maxSequence ? { length: text.length } : undefined;
  if (second === '') return undefined;
  if (second === escape) return { length: 1, key: 'esc' };
  const { length, key } = plainKey(text.slice(1));
  return { length: length + 1, key: `alt-${key}` };
}

function sequenceKey(found: RegExpExecArray): { readonly length: number; readonly key?: string } {
  const [whole, parameters = '', final = ''] = found.length === 2 ? [found[0], '', found[1]] : found;
  const [number = '', modifier = ''] = parameters.split(';');
  if (final === 'u') return { length: whole.length, ...unicodeKey(number, modifier) };
  const key = final === '~' ? numbers[number] : parameters.startsWith('<') ? undefined : finals[final];
  return { length: whole.length, ...(key === undefined ? {} : { key }) };
}

/** The protocol of newer terminals that tells modified keys apart. */
function unicodeKey(number: string, modifier: string): { readonly key?: string } {
  const bits = Math.max(0, (Number.parseInt(modifier, 10) || 1) - 1);
  const point = Number.parseInt(number, 10);
  if (!Number.isInteger(point) || point < 1 || point > 0x10ffff) return {};
  const { key } = plainKey(String.fromCodePoint(point));
  if ((bits & 4) !== 0) return { key: `ctrl-${key}` };
  return { key: (bits & 2) !== 0 ? `alt-${key}` : key };
}

function plainKey(text: string): { readonly length: number; readonly key: string } {
  const [character = ''] = text;
  const named = characters[character];
  if (named !== undefined) return { length: 1, key: named };
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return { length: 1, key: `ctrl-${String.fromCharCode(code + 0x60)}` };
  return { length: character.length, key: character };
}

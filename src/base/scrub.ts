/** Makes untrusted text safe piece by piece; a sequence split across pieces is removed as well. */
export interface Scrubber {
  push(chunk: string): string;
  /** What was held back because only the next piece could complete it. */
  end(): string;
}

/** The position in an escape sequence. Only this is remembered, however long the sequence is. */
type State = 'text' | 'escape' | 'csi' | 'osc' | 'string';

const newline = 0x0a;
const carriageReturn = 0x0d;
const bell = 0x07;
const cancel = 0x18;
const substitute = 0x1a;
const escape = 0x1b;
const stringEnd = 0x9c;
const replacement = '\ufffd';

// Characters to examine: controls, marks that reorder or hide text, separators, surrogates.
const suspicious =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]/;

const introducers: ReadonlyMap<number, State> = new Map([
  [0x90, 'string'],
  [0x98, 'string'],
  [0x9b, 'csi'],
  [0x9d, 'osc'],
  [0x9e, 'string'],
  [0x9f, 'string'],
]);

/**
 * Makes untrusted text safe for a terminal, a log or a page: no escape sequence, no control
 * character but line feed and tab, nothing that hides or reorders what is read. Lines are kept: an
 * unterminated sequence ends with its line. The result is never longer than the input.
 */
export function scrub(text: string): string {
  if (!suspicious.test(text)) return text;
  const scrubber = createScrubber();
  return scrubber.push(text) + scrubber.end();
}

/** Scrubs a stream of text. */
export function createScrubber(): Scrubber {
  let state: State = 'text';
  let previous = 0;
  let heldBack = '';

  const push = (chunk: string): string => {
    const text = heldBack + chunk;
    heldBack = '';
    if (state === 'text' && previous !== carriageReturn && !suspicious.test(text)) return text;
    let clean = '';
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const before = previous;
      previous = code;
      const next = after(state, code);
      const isShown = next === 'text' && !endsSequence(state, code);
      state = next;
      if (!isShown) continue;
      if (isHighSurrogate(code) && at + 1 === text.length) {
        heldBack = text.slice(at);
        break;
      }
      clean += show(text, at, before);
      if (isPair(text, at)) at += 1;
    }
    return clean;
  };
  const end = () => {
    const rest = heldBack === '' ? '' : replacement;
    heldBack = '';
    return rest;
  };
  return { push, end };
}

/** The state after a character, as in terminals. */
function after(state: State, code: number): State {
  if (code === escape) return 'escape';
  if (code === newline || code === carriageReturn || code === cancel || code === substitute) return 'text';
  const introduced = introducers.get(code);
  if (introduced !== undefined) return introduced;
  switch (state) {
    case 'text':
      return 'text';
    case 'escape':
      return afterEscape(code);
    case 'csi':
      return code < 0x40 || code === 0x7f ? 'csi' : 'text';
    case 'osc':
      return code === bell || code === stringEnd ? 'text' : 'osc';
    case 'string':
      return code === stringEnd ? 'text' : 'string';
  }
}

function afterEscape(code: number): State {
  if (code < 0x30 || code === 0x7f) return 'escape';
  switch (String.fromCharCode(code)) {
    case '[':
      return 'csi';
    case ']':
      return 'osc';
    case 'P':
    case 'X':
    case '^':
    case '_':
      return 'string';
    default:
      return 'text';
  }
}

/** Whether a character that returns to text ends its sequence, instead of following a broken one. */
function endsSequence(state: State, code: number): boolean {
  switch (state) {
    case 'text':
      return false;
    case 'escape':
    case 'csi':
      return code >= 0x30 && code <= 0x7e;
    case 'osc':
    case 'string':
      return code === bell || code === stringEnd;
  }
}

/** What is shown for the character at an index of the text. */
function show(text: string, at: number, before: number): string {
  const code = text.charCodeAt(at);
  if (code === newline) return before === carriageReturn ? '' : '\n';
  // What a carriage return would overwrite stays readable.
  if (code === carriageReturn || code === 0x2028 || code === 0x2029) return '\n';
  if (isPair(text, at)) return isTag(text, at) ? '' : text.slice(at, at + 2);
  if (code >= 0xd800 && code <= 0xdfff) return replacement;
  const character = text.charAt(at);
  return suspicious.test(character) ? '' : character;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isPair(text: string, at: number): boolean {
  const second = text.charCodeAt(at + 1);
  return isHighSurrogate(text.charCodeAt(at)) && second >= 0xdc00 && second <= 0xdfff;
}

/** Tag characters and the selectors above them can carry invisible text. */
function isTag(text: string, at: number): boolean {
  const point = text.codePointAt(at) ?? 0;
  return point >= 0xe0000 && point <= 0xe0fff;
}

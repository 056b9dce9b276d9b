import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createScrubber, scrub } from './scrub.ts';

const unsafe =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]|\p{Cs}/u;

const nasty = fc.constantFrom(
  '\u001b',
  '\u001b[',
  '\u001b[2J',
  '\u001b]',
  '\u001b]0;title\u0007',
  '\u001b]52;c;aGk=\u001b\\',
  '\u001bP+q544e\u001b\\',
  '\u001b_Gq\u001b\\',
  '\u001b^pm\u001b\\',
  '\u001bXsos\u001b\\',
  '\u001bPtmux;\u001b\u001b]52;c;aGk=\u0007\u001b\\',
  '\u001b(B',
  '\u009b31m',
  '\u009d0;x\u009c',
  '\u0090x\u009c',
  '\u009c',
  '\\',
  ';31m',
  '\r',
  '\n',
  '\r\n',
  '\b',
  '\u0018',
  '\u202e',
  '\u200b',
  '\u2028',
  '\ud83d',
  '\udc4b',
  '👋',
  '\u{e0041}',
  'text',
);
const foreign = fc
  .array(fc.oneof({ weight: 3, arbitrary: nasty }, fc.string({ unit: 'binary' })))
  .map((parts) => parts.join(''));

test.each([
  ['colour', 'a\u001b[1;31mb\u001b[0mc', 'abc'],
  ['cursor and screen', '\u001b[2J\u001b[Habc\u001b[?25l', 'abc'],
  ['a title', 'a\u001b]0;evil\u0007b', 'ab'],
  ['a clipboard write', 'a\u001b]52;c;aGk=\u001b\\b', 'ab'],
  ['a link', '\u001b]8;;http://x\u001b\\here\u001b]8;;\u001b\\', 'here'],
  ['a device control string', 'a\u001bP+q544e\u001b\\b', 'ab'],
  ['an application command', 'a\u001b_Gi=1;AAAA\u001b\\b', 'ab'],
  ['a privacy message', 'a\u001b^hidden\u001b\\b', 'ab'],
  ['a start of string', 'a\u001bXhidden\u001b\\b', 'ab'],
  [
    '8-bit introducers',
    'a\u009b31mb\u009d0;t\u009cc\u0090q\u009cd\u009fq\u009ce\u009eq\u009cf\u0098q\u009cg',
    'abcdefg',
  ],
  ['a sequence inside another', 'a\u001bPtmux;\u001b\u001b]52;c;aGk=\u0007\u001b\\b', 'ab'],
  ['a character set', 'a\u001b(Bb\u001b%Gc\u001b#8d', 'abcd'],
  ['a bell does not end a device control string', 'a\u001bPx\u0007y\u001b\\b', 'ab'],
  ['cancelled sequences', 'a\u001b[31\u0018b\u001b]0;x\u001ac', 'abc'],
  ['a broken sequence costs no text', 'a\u001b[31äb', 'aäb'],
  ['backspaces', 'a\bb', 'ab'],
  ['bidi and zero-width marks', 'a\u202eb\u2066c\u200bd\ufeffe\u061cf\u00adg', 'abcdefg'],
  ['tag characters', 'a\u{e0041}\u{e0042}b', 'ab'],
  ['lone surrogates', 'a\ud83db\udc4bc', 'a\ufffdb\ufffdc'],
  ['surrogates that a removal would join', '\ud83d\u001b[0m\udc4b', '\ufffd\ufffd'],
  ['what a carriage return would overwrite', 'safe\rrm -rf\r\nend', 'safe\nrm -rf\nend'],
])('untrusted text is made safe: %s', (_name, text, expected) => {
  expect(scrub(text)).toBe(expected);
});

test('harmless text stays unchanged', () => {
  const honest = 'Grüße, 世界 👋🏽 ❤️\n\tindented \\ [31m ]0;x';
  expect(scrub(honest)).toBe(honest);
});

test('an unterminated sequence ends with its line, so that it hides nothing that follows', () => {
  expect(scrub('a\u001b]0;never ended\nb\u001bPq\nc\u001b[3\nd\u001b\ne')).toBe('a\nb\nc\nd\ne');
});

test('whatever is scrubbed, nothing in it can move the cursor, hide or reorder text, and no line is lost', () => {
  fc.assert(
    fc.property(foreign, (text) => {
      const clean = scrub(text);
      expect(clean).not.toMatch(unsafe);
      expect(clean.length).toBeLessThanOrEqual(text.length);
      expect(clean.split('\n').length).toBeGreaterThanOrEqual(text.replaceAll('\r\n', '\n').split('\n').length);
    }),
    { numRuns: 500 },
  );
});

test('scrubbed text stays unchanged', () => {
  fc.assert(
    fc.property(foreign, (text) => {
      expect(scrub(scrub(text))).toBe(scrub(text));
    }),
    { numRuns: 500 },
  );
});

test('a stream scrubbed in two pieces equals the whole, wherever it is split', () => {
  fc.assert(
    fc.property(foreign, (text) => {
      for (let at = 0; at <= text.length; at += 1) {
        expect(inPieces([text.slice(0, at), text.slice(at)])).toBe(scrub(text));
      }
    }),
    { numRuns: 200 },
  );
});

test('a stream scrubbed one unit at a time equals the whole', () => {
  fc.assert(
    fc.property(foreign, (text) => {
      expect(inPieces(text.split(''))).toBe(scrub(text));
    }),
    { numRuns: 300 },
  );
});

test('nothing of an unterminated sequence is kept, however long it is', () => {
  const scrubber = createScrubber();
  let shown = scrubber.push('before\u001b]0;');
  for (let count = 0; count < 1_000; count += 1) shown += scrubber.push('x'.repeat(1_000));
  expect(shown).toBe('before');
  expect(scrubber.push('\u0007after') + scrubber.end()).toBe('after');
});

function inPieces(pieces: readonly string[]): string {
  const scrubber = createScrubber();
  return pieces.map(scrubber.push).join('') + scrubber.end();
}

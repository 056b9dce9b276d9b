import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonLine } from './json-line.ts';

test('whatever a value contains, its line of JSON cannot move the cursor, hide or reorder text, and parses to the same value', () => {
  const nasty = fc.constantFrom(
    '\u001b[2J',
    '\u009b31m',
    '\u007f',
    '\u202e',
    '\u200b',
    '\u2028',
    '\u{e0041}',
    '\ud83d',
    'é',
  );
  const text = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' }))).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.dictionary(text, text), (value) => {
      const line = jsonLine(value);
      expect(line).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]*\n$/u);
      expect(JSON.parse(line)).toEqual(value);
    }),
  );
});

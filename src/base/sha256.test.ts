import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from './sha256.ts';

test('a text has the same SHA-256 as everywhere else, whatever its length and its letters', () => {
  const texts = fc.oneof(fc.string({ maxLength: 150 }), fc.string({ unit: 'binary', maxLength: 100 }));
  const edges = [0, 55, 56, 63, 64, 119, 120].map((length): [string] => ['x'.repeat(length)]);
  fc.assert(
    fc.property(texts, (text) => {
      expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
    }),
    { examples: edges },
  );
});

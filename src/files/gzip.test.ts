import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compress, expand, isGzip } from './gzip.ts';

const limit = 32 * 1024 * 1024;

test('decompressing returns what was compressed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      const packed = compress(bytes);
      expect(isGzip(packed)).toBe(true);
      expect(expand(packed, limit)).toEqual(Buffer.from(bytes));
    }),
  );
});

test('a gzip bomb is refused by its ratio and by the limit, and never unpacked', () => {
  const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
  expect(bomb.byteLength * 100).toBeLessThan(8 * 1024 * 1024);
  expect(expand(bomb, limit)).toBeUndefined();
  expect(expand(gzipSync(Buffer.from('x'.repeat(5_000))), 1_000)).toBeUndefined();
});

test('a small text may repeat itself as much as it likes', () => {
  const text = Buffer.from('again '.repeat(20_000));
  expect(expand(compress(text), limit)).toEqual(text);
});

test('damaged and truncated gzip bytes give nothing', () => {
  const packed = compress(Buffer.from('some text that matters'));
  for (let length = 0; length < packed.byteLength; length += 1) {
    expect(expand(packed.subarray(0, length), limit), `length ${length}`).toBeUndefined();
  }
});

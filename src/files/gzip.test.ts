import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compress, expand, pack, unpack } from './gzip.ts';

const limit = 32 * 1024 * 1024;

test('decompressing returns what was compressed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      const packed = compress(bytes);
      expect([...packed.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
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

test('A115: a file that may be compressed is read in both forms', () => {
  const text = Buffer.from('{"some": "state"}');
  expect(unpack(Buffer.from(pack(text, limit)), limit)).toEqual(text);
  expect(unpack(text, limit)).toEqual(text);
  expect(unpack(compress(text).subarray(0, 20), limit)).toBeUndefined();
});

test('A115: what would look like a bomb is not compressed, so that it can be read', () => {
  const same = Buffer.alloc(8 * 1024 * 1024, 'a');
  expect(pack(same, limit)).toBe(same);
  const text = Buffer.from(Array.from({ length: 200_000 }, (_, index) => `${index * 7919} `).join(''));
  expect(pack(text, limit).byteLength).toBeLessThan(text.byteLength / 2);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSize, parseSize, roughSize } from './size.ts';

test.each([
  ['4GB', 4_000_000_000],
  ['4GiB', 4_294_967_296],
  ['1.5 GiB', 1_610_612_736],
  ['512MiB', 536_870_912],
  ['0B', 0],
])('B062: the size %s is %i bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each(['', '4', '4 G', '4gb', '-4GB', '1e3MB', 'GB', '0.0001KB', '999999999TB', '4GB ', ' 4GB', '4  GB'])(
  'B062: "%s" is not a size',
  (text) => expect(parseSize(text)).toBeUndefined(),
);

test('B062: every size survives being written and read back', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (bytes) => {
      expect(parseSize(formatSize(bytes))).toBe(bytes);
    }),
  );
});

test('a size for people has at most one decimal', () => {
  expect([0, 700 * 1024 ** 2, 4.84 * 1024 ** 3, 2 * 1024 ** 4].map(roughSize)).toEqual([
    '0 MiB',
    '700 MiB',
    '4.8 GiB',
    '2.0 TiB',
  ]);
});

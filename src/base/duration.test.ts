import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration, roughDuration, wholeSeconds } from './duration.ts';

test.each([
  ['0', 0],
  ['0s', 0],
  ['500ms', 500],
  ['5s', 5_000],
  ['1h30m', 5_400_000],
  ['1h 30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['1.1h', 3_960_000],
  ['0.001s', 1],
  ['90m', 5_400_000],
  ['2d', 172_800_000],
  ['1w 2d 3h 4m 5s 6ms', 788_645_006],
  ['9007199254740991ms', Number.MAX_SAFE_INTEGER],
])('A018: %j is read as %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  '',
  ' ',
  '5',
  '1h 3x',
  '-5s',
  '+5s',
  '1m 1h',
  '1h 1h',
  '5 s',
  '1h  30m',
  '1w  5s',
  '1h, 30m',
  ' 5s',
  '5s ',
  '5s\n',
  '5S',
  '5 seconds',
  '.5h',
  '1.h',
  '1e3s',
  '0.0001s',
  '0.5ms',
  '٥s',
  'NaNs',
  '00',
  '9007199254740992ms',
  '99999999999999w',
])('A018: %j is refused rather than guessed at', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test('A018: a text far too long to be a duration is refused', () => {
  expect(parseDuration(`${'0'.repeat(1_000_000)}5s`)).toBeUndefined();
});

test.each([
  [0, '0s'],
  [1, '1ms'],
  [5_000, '5s'],
  [5_400_000, '1h 30m'],
  [604_800_000, '7d'],
  [90_061_001, '1d 1h 1m 1s 1ms'],
  [12.4, '12ms'],
])('A018: %d ms is written as %j', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('%d ms has no written form', (ms) => {
  expect(() => formatDuration(ms)).toThrow(RangeError);
});

test('A018: every duration survives being written and read back', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms);
    }),
  );
});

test('A018: whatever text is read, the result is a whole number of milliseconds that can be written again', () => {
  const piece = fc.constantFrom('1', '5', '.', 'ms', 's', 'm', 'h', 'd', 'w', ' ', '0', '-', 'x');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const ms = parseDuration(pieces.join('')) ?? 0;
      expect(parseDuration(formatDuration(ms))).toBe(ms);
    }),
  );
});

test.each([
  [0, '0s'],
  [1, '1s'],
  [4_001, '5s'],
  [59_999, '1m'],
  [61_500, '1m 2s'],
  [8_040_000, '2h 14m'],
  [8_040_001, '2h 15m'],
  [86_399_999, '1d'],
  [691_200_000, '8d'],
  [694_800_001, '8d 2h'],
])('%d ms that are left are shown as %s', (ms, text) => {
  expect(roughDuration(ms)).toBe(text);
});

test('remaining time is never rounded down', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), (ms) => {
      expect(parseDuration(roughDuration(ms))).toBeGreaterThanOrEqual(ms);
      expect(roughDuration(ms).split(' ').length).toBeLessThanOrEqual(2);
    }),
  );
});

test.each([
  [-5, '0s'],
  [59_999, '59s'],
  [60_000, '1m 0s'],
  [3_599_999, '59m 59s'],
  [7_380_000, '2h 3m'],
  [Number.NaN, '0s'],
])('%i ms are shown as %s', (ms, expected) => {
  expect(wholeSeconds(ms)).toBe(expected);
});

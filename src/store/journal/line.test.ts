import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { code } from '../testing/failing.ts';
import { decodeLine, encodeLine, formatCrc, maxLineBytes, origin, suffixBytes } from './line.ts';

const entry = {
  seq: 1,
  at: '2026-11-16T10:00:00.000Z',
  epoch: 1,
  type: 'text.noted',
  data: { text: 'ü \n \u2028 \ud800' },
};

function lineOf(bytes: Buffer): Buffer {
  return bytes.subarray(0, -1);
}

test('a fact is read back from its line unchanged, on one line whatever it contains', () => {
  const { bytes, link } = encodeLine(entry, origin);
  expect(bytes.indexOf('\n')).toBe(bytes.byteLength - 1);
  expect(decodeLine(lineOf(bytes), origin)).toEqual({ kind: 'entry', entry, link });
});

test('a sound line with a wrong number does not follow', () => {
  const { bytes } = encodeLine({ ...entry, seq: 3 }, origin);
  expect(decodeLine(lineOf(bytes), origin)).toEqual({ kind: 'damaged' });
});

test.each([
  [2, { kind: 'newer', version: 2 }],
  [0, { kind: 'damaged' }],
  ['"1"', { kind: 'damaged' }],
])('a sound line of version %s is called newer only if it is', (version, expected) => {
  const { bytes } = encodeLine(entry, origin);
  const body = bytes.toString('utf8', 0, bytes.byteLength - 1 - suffixBytes).replace('{"v":1', `{"v":${version}`);
  const line = Buffer.from(`${body},"crc":"${formatCrc(crc32(body, origin.crc))}"}`);
  expect(decodeLine(line, origin)).toEqual(expected);
});

test('a line that follows another does not follow anything else', () => {
  const first = encodeLine(entry, origin).link;
  const second = encodeLine({ ...entry, seq: 2 }, first);
  expect(decodeLine(lineOf(second.bytes), first).kind).toBe('entry');
  expect(decodeLine(lineOf(second.bytes), { ...first, crc: first.crc ^ 1 }).kind).toBe('damaged');
});

test('a fact that no reader would accept is refused before it is written', () => {
  const nested = JSON.parse('['.repeat(120) + ']'.repeat(120));
  expect(() => encodeLine({ ...entry, data: nested }, origin)).toThrow(code('FACT_TOO_LARGE'));
  expect(() => encodeLine({ ...entry, data: 'x'.repeat(maxLineBytes) }, origin)).toThrow(/more than a line may have/);
  expect(() => encodeLine({ ...entry, data: '['.repeat(1000) }, origin)).not.toThrow();
});

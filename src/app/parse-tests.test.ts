import { expect, test } from 'vitest';
import { parseTests } from './parse-tests.ts';

const tap = 'TAP version 13\n1..2\nok 1 - adds\nnot ok 2 - divides by ünï\n';
const bigEndian = Buffer.from(`\ufeff${tap}`, 'utf16le').swap16();

test.each([
  ['UTF-8', Buffer.from(tap)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${tap}`)],
  ['UTF-16, as PowerShell redirects it', Buffer.from(`\ufeff${tap}`, 'utf16le')],
  ['UTF-16 of the other byte order', bigEndian],
])('B047: an output in %s is read in pieces of any size', async (_what, bytes) => {
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const report = await parseTests(streamOf(pieces));
    expect(report).toMatchObject({ framework: 'tap', passed: 1, failed: 1 });
    expect(report?.details.at(-1)?.name).toBe('divides by ünï');
  }
});

test('an output of a single byte, or of none, is no report', async () => {
  expect(await parseTests(streamOf([Buffer.from('x')]))).toBeUndefined();
  expect(await parseTests(streamOf([]))).toBeUndefined();
});

async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

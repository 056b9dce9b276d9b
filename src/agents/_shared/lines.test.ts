import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter } from './lines.ts';

function split(chunks: readonly Uint8Array[], maxLength?: number) {
  const lines: string[] = [];
  let tooLong = 0;
  const splitter = createLineSplitter({ line: (text) => lines.push(text), tooLong: () => (tooLong += 1) }, maxLength);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, tooLong };
}

test('A083: wherever the chunks are cut, even inside a character, the lines are the same', () => {
  const text = fc.array(
    fc.string({ unit: 'binary' }).map((line) => line.replaceAll('\n', ' ')),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(text, fc.array(fc.nat(40)), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.byteLength];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(split(chunks)).toEqual(split([bytes]));
      expect(split([bytes]).lines).toHaveLength(lines.length);
    }),
  );
});

test('a last line without a newline is a line, and an empty rest is not', () => {
  expect(split([Buffer.from('one\ntwo')]).lines).toEqual(['one', 'two']);
  expect(split([Buffer.from('one\n')]).lines).toEqual(['one']);
  expect(split([]).lines).toEqual([]);
});

test('a line that is too long is dropped, and the next one is read', () => {
  const chunks = ['one\n', 'aaaa', 'aaaa', 'aaa\n', 'two\n'].map((text) => Buffer.from(text));
  expect(split(chunks, 8)).toEqual({ lines: ['one', 'two'], tooLong: 1 });
});

test('a chunk may be overwritten once it was pushed', () => {
  const chunk = Buffer.from('half');
  const lines: string[] = [];
  const splitter = createLineSplitter({ line: (text) => lines.push(text), tooLong: () => {} });
  splitter.push(chunk);
  chunk.fill('x');
  splitter.push(Buffer.from(' whole\n'));
  expect(lines).toEqual(['half whole']);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createInputReader, type Input } from './input.ts';

function read(...chunks: readonly string[]): readonly Input[] {
  const reader = createInputReader();
  return chunks.flatMap((chunk) => reader.push(Buffer.from(chunk)));
}

function keys(...chunks: readonly string[]): readonly string[] {
  return read(...chunks).map((input) => (input.kind === 'key' ? input.key : `paste ${JSON.stringify(input.text)}`));
}

test.each([
  ['letters', 'qé日🚀', ['q', 'é', '日', '🚀']],
  ['arrows', '\u001b[A\u001b[B\u001bOC\u001b[1;5D', ['up', 'down', 'right', 'left']],
  ['pages', '\u001b[5~\u001b[6~\u001b[H\u001b[4~\u001b[3~', ['pgup', 'pgdn', 'home', 'end', 'delete']],
  ['controls', '\r\t\u007f\b\u0003\u001a\n', ['enter', 'tab', 'backspace', 'backspace', 'ctrl-c', 'ctrl-z', 'ctrl-j']],
  ['alt-enter, old and new', '\u001b\r\u001b[13;3u', ['alt-enter', 'alt-enter']],
  ['modified keys of newer terminals', '\u001b[99;5u\u001b[27u', ['ctrl-c', 'esc']],
  ['what means nothing here', '\u001b[<0;1;2M\u001b[?62;c\u001b[12;40Rx', ['x']],
])('%s', (_name, text, expected) => {
  expect(keys(text)).toEqual(expected);
});

test('a paste is one input with its line breaks, and no key in it is pressed', () => {
  expect(keys('a\u001b[200~q\r\nx\u0003\u001b[A\u001b[201~b')).toEqual(['a', 'paste "q\\r\\nx\\u0003\\u001b[A"', 'b']);
});

test('sequences, characters and pastes survive being split anywhere', () => {
  const text = 'é\u001b[A\u001b[200~日\n本\u001b[201~\u001b\r🚀\u001b[6~';
  const bytes = Buffer.from(text);
  const whole = read(text);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length })), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
      const reader = createInputReader();
      const found = places.slice(1).flatMap((end, index) => reader.push(bytes.subarray(places[index], end)));
      expect(found).toEqual(whole);
    }),
  );
});

test('a lone escape is a key once nothing follows, and an unfinished sequence is dropped', () => {
  const reader = createInputReader();
  expect(reader.push(Buffer.from('\u001b'))).toEqual([]);
  expect(reader.isPending).toBe(true);
  expect(reader.flush()).toEqual([{ kind: 'key', key: 'esc' }]);
  expect(reader.push(Buffer.from('\u001b['))).toEqual([]);
  expect(reader.flush()).toEqual([]);
  expect(reader.push(Buffer.from('j'))).toEqual([{ kind: 'key', key: 'j' }]);
});

test('neither a huge paste nor an endless sequence grows without bound', () => {
  const [paste] = read('\u001b[200~', ...Array.from({ length: 50 }, () => 'x'.repeat(10_000)), '\u001b[201~');
  expect(paste).toMatchObject({ kind: 'paste' });
  expect(paste?.kind === 'paste' && paste.text.length).toBe(100_000);
  expect(keys(`\u001b[${'1;'.repeat(100)}`, 'q')).toEqual(['q']);
});

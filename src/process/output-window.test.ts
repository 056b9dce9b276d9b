import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutputWindow, wholeLength } from './output-window.ts';

function fill(limit: number, chunks: readonly Uint8Array[]) {
  const window = createOutputWindow(limit);
  for (const chunk of chunks) window.push(chunk);
  return window.read();
}

test('an output that fits is kept unchanged however it arrives', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
      const whole = texts.join('');
      const chunks = texts.map((text) => Buffer.from(text));
      const limit = Math.max(4, Buffer.byteLength(whole));
      expect(fill(limit, chunks)).toEqual({ output: whole, truncatedBytes: 0 });
    }),
  );
});

test('a longer output keeps its beginning and end, and the missing bytes are counted', () => {
  const chunk = fc.uint8Array({ maxLength: 40 }).map((bytes) => bytes.map((byte) => 0x20 + (byte % 0x5f)));
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1 }), fc.integer({ min: 4, max: 60 }), (chunks, limit) => {
      const whole = Buffer.concat(chunks).toString();
      fc.pre(whole.length > limit);
      const { output, truncatedBytes } = fill(limit, chunks);
      const [head = '', tail = ''] = output.split(`\n[… ${truncatedBytes} bytes left out …]\n`);
      expect(head.length + tail.length).toBe(limit);
      expect(head.length + tail.length + truncatedBytes).toBe(whole.length);
      expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
    }),
  );
});

test('no character is split at the cut', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 50 }), fc.constantFrom('ä', '€', '😀'), (limit, character) => {
      const { output, truncatedBytes } = fill(limit, [Buffer.from(character.repeat(40))]);
      expect(output).not.toContain('\uFFFD');
      expect(truncatedBytes).toBeGreaterThan(0);
    }),
  );
});

test('the whole part of a chunk ends before a character that is cut off', () => {
  const euro = Buffer.from('a€');
  expect([1, 2, 3, 4].map((end) => wholeLength(euro.subarray(0, end)))).toEqual([1, 1, 1, 4]);
  expect(wholeLength(Buffer.from([0x80, 0x80, 0x80]))).toBe(3);
  expect(wholeLength(Buffer.alloc(0))).toBe(0);
});

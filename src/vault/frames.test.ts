import { hkdfSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deriveKey } from './crypto.ts';
import { beginsAuthentic, createFrameWriter } from './frames.ts';
import { openFrames, readSealed } from './sealed-text.ts';

const binding = { loopId: 'ralph-x-a1b2c3d4', name: 'journal/0001-0001.jsonl', key: Buffer.alloc(32, 7) };

function sealed(writes: readonly string[], salt = Buffer.alloc(32, 9)): Buffer {
  const writer = createFrameWriter(binding, salt);
  return Buffer.concat(writes.map((text) => writer.seal(Buffer.from(text))));
}

/** Lines like those of a journal: each ends with something that belongs to it alone. */
const lines = ['{"a":1,"crc":"11111111"}\n', '{"b":2,"crc":"22222222"}\n', '{"c":3,"crc":"33333333"}\n'];

test('a derived key is that of HKDF-SHA256', () => {
  const [key, salt] = [randomBytes(32), randomBytes(32)];
  expect(deriveKey(key, salt, 'for a test').export()).toEqual(
    Buffer.from(hkdfSync('sha256', key, salt, 'for a test', 32)),
  );
});

test('what was sealed is opened again, whatever it was and however it was written', () => {
  const anyWrites = fc.array(fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(anyWrites, (writes) => {
      expect(openFrames(sealed(writes), binding).equals(Buffer.from(writes.join('')))).toBe(true);
    }),
    { numRuns: 30 },
  );
  const large = 'x'.repeat(3 * 1024 * 1024);
  expect(openFrames(sealed([large, 'end']), binding).equals(Buffer.from(`${large}end`))).toBe(true);
});

test('no change of any bit, and no cut, shows a byte that was not written there', () => {
  const file = sealed(lines);
  const whole = lines.join('');
  for (let bit = 0; bit < file.byteLength * 8; bit += 5) {
    const changed = Buffer.from(file);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expectOnlyWritten(openFrames(changed, binding), whole);
  }
  for (let length = 0; length < file.byteLength; length += 3) {
    expectOnlyWritten(openFrames(file.subarray(0, length), binding), whole);
  }
});

/** Authentic text begins like the original, or follows garbage and then agrees with its end. */
function expectOnlyWritten(found: Buffer, whole: string): void {
  const text = found.toString('latin1');
  const garbage = /[\x80-\xff]/.exec(text);
  if (!garbage) return expect(whole.startsWith(text)).toBe(true);
  expect(whole.startsWith(text.slice(0, garbage.index))).toBe(true);
  const rest = text.slice(garbage.index).replace(/^[\s\S]*[\x80-\xff]/, '');
  expect(whole.endsWith(rest), rest).toBe(true);
}

test('a file that is read in parts, and again after it grew or changed, shows the same as when it is read whole', () => {
  const file = sealed(Array.from({ length: 40 }, (_, index) => `{"line":${index}}\n`.repeat(1 + (index % 3))));
  const anyDamage = fc.option(fc.tuple(fc.nat(file.byteLength - 1), fc.integer({ min: 1, max: 255 })));
  const anyEnds = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.nat(file.byteLength), anyDamage, anyEnds, (cut, damage, ends) => {
      const changed = Buffer.from(file);
      if (damage) changed[damage[0]] = (changed[damage[0]] ?? 0) ^ damage[1];
      // What was read first may be a part of a file that was not damaged yet.
      const first = readSealed(cut % 2 === 0 ? file.subarray(0, cut) : changed.subarray(0, cut), binding);
      for (const end of ends) expect(first.upTo(end).subarray(0, end)).toEqual(first.whole().subarray(0, end));
      const expected = openFrames(changed, binding);
      const grown = first.grownTo(changed) ?? readSealed(changed, binding);
      for (const end of ends) expect(grown.upTo(end).subarray(0, end)).toEqual(expected.subarray(0, end));
      expect(grown.whole()).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('frames that were swapped, cut out, repeated or taken from another file are not shown', () => {
  const file = sealed(lines);
  const [one = '', two = '', ...frames] = file.toString('latin1').split(/(?<=\n)/);
  const rebuilt = (...order: readonly (string | undefined)[]) =>
    openFrames(Buffer.from([one, two, ...order].join(''), 'latin1'), binding).toString('latin1');
  const [a, b, c] = frames;
  expect(rebuilt(a, b, c)).toBe(lines.join(''));
  expect(rebuilt(b, a, c)).not.toContain('"a":1');
  expect(rebuilt(a, a, b, c)).toMatch(/^\{"a":1[^}]*\}\n[\x80-\xff]+/);
  // The end of the missing line shows that it is missing.
  expect(rebuilt(a, c)).toBe(`${lines[0] ?? ''}\xff,"crc":"22222222"}\n${lines[2] ?? ''}`);
  // Not even bytes that were chosen for how they are shown.
  const chosen = Buffer.from('{"evil":1}').map((byte) => byte ^ 0xff);
  expect(rebuilt(a, `${Buffer.from(chosen).toString('latin1')}\n`)).not.toContain('evil');
  const [, , foreign] = sealed(['{"evil":1}\n'], Buffer.alloc(32, 8))
    .toString('latin1')
    .split(/(?<=\n)/);
  expect(rebuilt(foreign, b, c)).not.toContain('evil');
  for (const other of [
    { ...binding, loopId: 'ralph-y-a1b2c3d4' },
    { ...binding, name: 'journal/0001-0002.jsonl' },
    { ...binding, key: Buffer.alloc(32, 8) },
  ]) {
    expect(openFrames(file, other).toString('latin1')).not.toMatch(/"[abc]":/);
    expect(beginsAuthentic(file, other)).toBe(false);
  }
});

test('one damaged first line of a file costs nothing, because the second one says the same', () => {
  const file = sealed(lines);
  const length = file.indexOf('\n') + 1;
  for (const at of [3, 60, length - 4, length - 1]) {
    for (const copy of [0, length]) {
      const changed = Buffer.from(file);
      changed[copy + at] = 0x21;
      expect(openFrames(changed, binding).toString()).toBe(lines.join(''));
    }
  }
});

import { expect, test } from 'vitest';
import { createFactRing } from './fact-ring.ts';

/** All frames after a number, as a reader gets them part by part; undefined where it has to go to the disk. */
function readAll(ring: ReturnType<typeof createFactRing>, after: number): readonly string[] | undefined {
  let seq = after;
  const frames: string[] = [];
  for (;;) {
    const part = ring.after(seq);
    if (part === undefined) return undefined;
    if (part.frames === '') return frames;
    frames.push(...part.frames.trimEnd().split('\n'));
    seq = part.seq;
  }
}

test('readers get every fact that is still here once, in order, and are sent to the disk for older ones', () => {
  const ring = createFactRing(10);
  const numbers = Array.from({ length: 2_500 }, (_, index) => 12 + 2 * index);
  for (const seq of numbers) ring.add(seq, `${seq}\n`);
  expect(readAll(ring, 10)).toBeUndefined();
  const last = numbers.at(-1) ?? 0;
  expect(readAll(ring, last - 100)).toEqual(numbers.slice(-50).map(String));
  expect(readAll(ring, last)).toEqual([]);
});

test('large facts are not kept beyond a megabyte, and come in parts', () => {
  const ring = createFactRing(0);
  for (let seq = 1; seq <= 100; seq += 1) ring.add(seq, `${'x'.repeat(50_000)}\n`);
  expect(ring.after(0)).toBeUndefined();
  expect(ring.after(95)).toMatchObject({ seq: 97 });
});

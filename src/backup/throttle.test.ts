import { expect, test } from 'vitest';
import { createLoopFolder } from './testing/loop-folder.ts';
import { createMemoryTarget } from './testing/memory-target.ts';
import { push } from './testing/pushing.ts';
import { partBytesFor, throttle } from './throttle.ts';

const bytesPerSecond = 100_000;

test('a backup sends no more than its bandwidth permits, an object at a time', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  // Bytes that cannot be compressed.
  const text = Array.from({ length: 40_000 }, () => Math.random().toString(36).slice(2)).join('');
  loop.iterate();
  loop.put('iterations/001/attempt-1/stdout', text);
  let waitedMs = 0;
  const wait = async (ms: number) => {
    const sent = target.sent.reduce((sum, { bytes }) => sum + bytes, 0);
    const latest = target.sent.at(-1)?.bytes ?? 0;
    // What was sent before this object had the time that it needs.
    expect(sent - latest).toBeLessThanOrEqual((waitedMs / 1_000) * bytesPerSecond + 1);
    waitedMs += ms;
  };
  const maxPartBytes = partBytesFor(bytesPerSecond);
  await push(loop.source(), { target: throttle(target, bytesPerSecond, wait), maxPartBytes });
  const all = target.sent.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(all).toBeGreaterThan(200_000);
  expect(waitedMs / 1_000).toBeCloseTo(all / bytesPerSecond, 1);
  for (const { bytes } of target.sent) expect(bytes).toBeLessThanOrEqual(bytesPerSecond);
});

test('one object is at most a second of the bandwidth, within reason', () => {
  expect([undefined, 1, 1_000_000, 1e9].map(partBytesFor)).toEqual([8_388_608, 65_536, 1_000_000, 8_388_608]);
});

import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createInterrupts } from './interrupts.ts';

test('R5: a second interrupt kills the agent even if the first one is never recorded', async () => {
  const seen: string[] = [];
  const interrupts = createInterrupts({ pause: (signal) => seen.push(signal), kill: () => seen.push('kill') });
  interrupts.receive('SIGTERM');
  interrupts.receive('SIGINT');
  expect(seen).toEqual(['SIGTERM']);
  expect(interrupts.first()).toBe('SIGTERM');
  await expect
    .poll(() => {
      interrupts.receive('SIGINT');
      return seen;
    })
    .toContain('kill');
  expect(seen[0]).toBe('SIGTERM');
});

test('R5: one interrupt that arrives twice while a slow disk blocks ralphd counts once', async () => {
  const seen: string[] = [];
  const interrupts = createInterrupts({ pause: blockedByDisk, kill: () => seen.push('kill') });
  const receive = () => interrupts.receive('SIGINT');
  process.on('SIGUSR2', receive);
  onTestFinished(() => void process.off('SIGUSR2', receive));
  process.kill(process.pid, 'SIGUSR2');
  await expect.poll(() => seen).toContain('pause');
  // Two turns of the event loop: whatever is pending has been read by then.
  await delay(1);
  await delay(1);
  expect(seen).toEqual(['pause']);

  function blockedByDisk(): void {
    seen.push('pause');
    process.kill(process.pid, 'SIGUSR2');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  }
});

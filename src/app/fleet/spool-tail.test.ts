import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRedactor } from '../../base/index.ts';
import { nodeFiles } from '../../files/index.ts';
import { createSpoolTail } from './spool-tail.ts';

const secret = 'correct-horse-battery-staple';
const { stream } = createRedactor([{ name: 'PASSWORD', value: secret }]);

function spool(maxBytes: number) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-tail-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'stdout');
  const tail = createSpoolTail(nodeFiles, file, { maxBytes, stream });
  onTestFinished(() => tail[Symbol.dispose]());
  return {
    write: (text: string) => appendFileSync(file, text),
    tail,
    text: () => Buffer.from(tail.read().bytes).toString(),
  };
}

test('the tail of an output has its last whole lines, and says how many bytes there were', () => {
  const { write, tail, text } = spool(20);
  expect(tail.advance(false)).toBe(false);
  write('the first line\n');
  expect(tail.advance(false)).toBe(true);
  expect(tail.advance(false)).toBe(false);
  write('second\nthird: ä\n');
  expect(tail.advance(false)).toBe(true);
  expect(text()).toBe('second\nthird: ä\n');
  expect(tail.read().end).toBe(32);
});

test('a secret is removed from the tail, also one that comes in two pieces', () => {
  const { write, tail, text } = spool(1000);
  write(`before ${secret.slice(0, 12)}`);
  tail.advance(false);
  expect(text()).not.toContain('correct');
  write(`${secret.slice(12)} after`);
  tail.advance(false);
  tail.advance(true);
  expect(text()).toBe('before [redacted:PASSWORD] after');
});

test('an output that grows faster than it is read is not read whole, and where it is taken up again no part of a secret is left', () => {
  const { write, tail, text } = spool(4096);
  write('begin\n');
  tail.advance(false);
  // The second half of a secret is what a careless reader would begin with.
  const size = 3 * 1024 * 1024;
  const at = size - 4096 - 10;
  write(`${'x'.repeat(at)}${secret}\n`);
  write(`${'y'.repeat(size - at - secret.length - 1)}\n`);
  tail.advance(true);
  expect(text()).not.toContain('staple');
  expect(text()).toMatch(/^(\[redacted:PASSWORD\])?\n?y+\n$/);
  expect(tail.read().end).toBeGreaterThan(size);
});

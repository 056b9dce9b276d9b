import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLoopPermits, permitUntil, uptimeSeconds } from './permit.ts';
import { supervise } from './supervise.ts';
import { createAttempt } from './testing/attempt.ts';

const hour = 3_600;

function createPermits() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-permits-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const permitFile = path.join(folder, 'permit');
  permitUntil(permitFile, uptimeSeconds() + hour);
  const links = path.join(folder, 'permits');
  return { permitFile, permits: openLoopPermits(links, permitFile), list: () => readdirSync(links).toSorted() };
}

test('an agent stops when its permit is over, goes on when it is renewed, and is killed when it is taken away', async () => {
  const { permitFile, permits } = createPermits();
  // One process without children: a shell whose child is stopped before it runs its program counts as busy with the disk.
  const { options, stdout } = createAttempt('echo $$; exec sleep 300', { permitFile: permits.fileFor('a', 1) });
  const run = supervise(options);
  const state = () => readFileSync(`/proc/${stdout().split('\n')[0]}/stat`, 'utf8').split(') ')[1]?.[0];
  await expect.poll(() => stdout().endsWith('\n')).toBe(true);
  permitUntil(permitFile, uptimeSeconds() - 1);
  await expect.poll(state).toBe('T');
  permitUntil(permitFile, uptimeSeconds() + hour);
  await expect.poll(state).not.toBe('T');
  permits.keepOnly([]);
  expect((await run).ending).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
});

test('the next owner on a machine adopts the permit of its loop, and those of other loops are gone', () => {
  const { permits, list } = createPermits();
  const file = permits.fileFor('a', 1);
  permits.fileFor('b', 7);
  permits.keepOnly(['a']);
  expect(list()).toEqual(['a.1']);
  expect(permits.fileFor('a', 2)).toBe(file);
  expect(path.basename(permits.fileFor('a', 3))).toBe('a.3');
  expect(list()).toEqual(['a.3']);
});

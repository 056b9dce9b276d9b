import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { letWriters } from './writers.ts';

test('A141, R14, R21: runners, pauses, backups, gc and doctors at one loop at once leave it one owner at a time and lose nothing', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-writers-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const report = await letWriters({ folder, attempts: 8, seed: 20_261_116 });
  expect(report.violations).toEqual([]);
  expect(report.refusedOwners).toBeGreaterThan(0);
  expect(report.acknowledged).toBeGreaterThan(6);
});

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homeBeside } from '../support/ralphd-process.ts';
import { hasNamespaces } from '../support/system.ts';
import { storm } from './storm.ts';

test('A136 A141 R14: ten kills at any moment lose no fact that was acknowledged, and no loop ever has two owners', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-storm-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const report = await storm({ folder, kills: 10, seed: 20_261_116 });
  expect(report.violations).toEqual([]);
  expect(report.refusedOwners).toBeGreaterThan(0);
  expect(report.acknowledged).toBeGreaterThan(30);
});

test.skipIf(!hasNamespaces)('A136 A141 R14: the same holds for agents in a sandbox', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-storm-'));
  onTestFinished(async () => {
    for (const each of [folder, homeBeside(folder)]) await rm(each, { recursive: true, force: true });
  });
  const report = await storm({ folder, kills: 4, seed: 20_261_117, sandbox: 'on' });
  expect(report.violations).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(12);
});

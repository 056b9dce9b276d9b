import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homeBeside } from '../support/ralphd-process.ts';
import { hasNamespaces } from '../support/system.ts';
import { adoptionStorm } from './storm.ts';

test.skipIf(!hasNamespaces)('R3 A097 A141: the same holds for agents in a sandbox', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-adoption-'));
  onTestFinished(async () => {
    for (const each of [folder, homeBeside(folder)]) await rm(each, { recursive: true, force: true });
  });
  const report = await adoptionStorm({ folder, kills: 2, seed: 20_261_117, sandbox: 'on' });
  expect(report.violations).toEqual([]);
  expect(report.adopted).toBeGreaterThan(0);
});

test.skipIf(process.platform !== 'linux')(
  'R3 A097 A141: three kills in the middle of an iteration: each run ends once, whole, with its own exit code',
  async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-adoption-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const report = await adoptionStorm({ folder, kills: 3, seed: 20_261_116 });
    expect(report.violations).toEqual([]);
    expect(report.adopted).toBeGreaterThan(0);
    expect(report.iterations).toBeGreaterThan(1);
  },
);

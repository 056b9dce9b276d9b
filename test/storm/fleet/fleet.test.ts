import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../support/postgres/shared.ts';
import { stormFleet } from './storm.ts';

describeWithPostgres('a fleet in a storm', () => {
  test('no fact of an earlier owner is accepted, no acknowledged one is lost, no agent outlives its owner, and lost loops are taken over in time', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-fleet-storm-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { violations, ...figures } = await stormFleet({ folder, faults: 40, seed: 1 });
    expect(violations).toEqual([]);
    expect(figures.facts).toBeGreaterThan(40);
    expect(figures.ticks).toBeGreaterThan(40);
    expect(figures.commands).toBeGreaterThan(4);
    expect(figures.takeovers).toBeGreaterThan(2);
  });
});

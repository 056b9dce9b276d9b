import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../support/postgres/shared.ts';
import { stormFleet } from './storm.ts';

describeWithPostgres('a fleet in a storm', () => {
  test('no fact of an earlier owner is accepted, no acknowledged one is lost, and no agent outlives its owner', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-fleet-storm-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const faults = Number(process.env['FLEET_FAULTS'] ?? 40);
    const { violations, facts, ticks, takeovers } = await stormFleet({ folder, faults, seed: 1, atOnce: 4 });
    expect(violations).toEqual([]);
    expect(facts).toBeGreaterThan(40);
    expect(ticks).toBeGreaterThan(40);
    expect(takeovers).toBeGreaterThan(4);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stormNonces } from './nonces.ts';

// `npm run storm -- --nonces 1000000` does this with a million appends.

test('A115: no key encrypts two texts with one nonce, whenever writers are killed and whichever older copy is put back', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-nonces-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const report = await stormNonces({ folder, appends: 120, perWriter: 20, seed: 6 });
  expect(report.repeated).toEqual([]);
  expect(report.keys).toBeGreaterThan(report.killed);
});

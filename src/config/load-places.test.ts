import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configSchema } from '../protocol/index.ts';
import { loadPlaces } from './load-places.ts';

function projectWith(config?: string): string {
  const cwd = mkdtempSync(path.join(tmpdir(), 'ralphd-places-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  if (config !== undefined) writeFileSync(path.join(cwd, 'ralphd.yml'), config);
  return cwd;
}

test('where nothing is set, loops are where the defaults say', async () => {
  const env = { RALPHD_ATTEMPT: 'x', RALPHD_AGENT: '' };
  const { workingDir, stateDir } = configSchema.parse({});
  expect(await loadPlaces({ cwd: projectWith(), env, flags: {} })).toEqual({ workingDir, stateDir });
});

test('R12: a flag, a variable and a file each say where loops are', async () => {
  const cwd = projectWith();
  expect(await loadPlaces({ cwd, env: {}, flags: { stateDir: 'a' } })).toMatchObject({ stateDir: 'a' });
  expect(await loadPlaces({ cwd, env: { RALPHD_STATE_DIR: 'b' } })).toMatchObject({ stateDir: 'b' });
  expect(await loadPlaces({ cwd: projectWith('stateDir: c\n'), env: {} })).toMatchObject({ stateDir: 'c' });
});

test('whoever only looks is told of a bad configuration too', async () => {
  await expect(loadPlaces({ cwd: projectWith('stateDri: c\n'), env: {} })).rejects.toThrow('"stateDri"');
  await expect(loadPlaces({ cwd: projectWith(), env: { RALPHD_STATE_DRI: 'b' } })).rejects.toThrow('RALPHD_STATE_DRI');
  await expect(loadPlaces({ cwd: projectWith(), env: {}, configFile: 'missing.yml' })).rejects.toThrow('missing.yml');
});

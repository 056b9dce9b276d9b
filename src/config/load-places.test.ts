import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configSchema, defaultPlaces, topSettings } from '../protocol/index.ts';
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

test('every setting at the top of a configuration is known by its name', () => {
  expect([...topSettings].sort()).toEqual(Object.keys(configSchema.shape).sort());
});

test.each([
  'agent: claude\nverify:\n- npm test\n  # mine\niteration:\n  timeout: 1h\n\nvars: { a: b }\n',
  'maxIterations: many\r\n',
  '',
])('a configuration that says nothing of places is not judged by whoever only looks: %j', async (text) => {
  expect(await loadPlaces({ cwd: projectWith(text), env: {} })).toEqual(defaultPlaces);
});

test.each([
  '{ stateDir: elsewhere }',
  '"stateDir": elsewhere',
  String.raw`"state\x44ir": elsewhere`,
  '---\nstateDir: elsewhere',
  'agent: claude\n? stateDir\n: elsewhere',
])('R12: however it is spelt, the place that a file names is found: %j', async (text) => {
  expect(await loadPlaces({ cwd: projectWith(text), env: {} })).toMatchObject({ stateDir: 'elsewhere' });
});

test('whoever only looks is told of a configuration that may mean another place', async () => {
  await expect(loadPlaces({ cwd: projectWith('stateDri: c\n'), env: {} })).rejects.toThrow('"stateDri"');
  await expect(loadPlaces({ cwd: projectWith(), env: { RALPHD_STATE_DRI: 'b' } })).rejects.toThrow('RALPHD_STATE_DRI');
  await expect(loadPlaces({ cwd: projectWith(), env: {}, configFile: 'missing.yml' })).rejects.toThrow('missing.yml');
});

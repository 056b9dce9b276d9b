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

test('where nothing is set, the default places are used', async () => {
  const env = { RALPHD_ATTEMPT: 'x', RALPHD_AGENT: '' };
  const { workingDir, stateDir } = configSchema.parse({});
  expect(await loadPlaces({ cwd: projectWith(), env, flags: {} })).toEqual({ workingDir, stateDir });
});

test('R12: a flag, a variable and a file can each set where loops are', async () => {
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
  'agent: [claude\n',
  '\tagent: claude',
  '',
])('a configuration that sets no place is not checked by a command that only shows loops: %j', async (text) => {
  expect(await loadPlaces({ cwd: projectWith(text), env: {} })).toEqual(defaultPlaces);
});

test.each([
  '{ stateDir: elsewhere }',
  '"stateDir": elsewhere',
  String.raw`"state\x44ir": elsewhere`,
  '---\nstateDir: elsewhere',
  'agent: claude\n? stateDir\n: elsewhere',
  '  agent: claude\n  stateDir: elsewhere',
  String.raw`agent: claude${'\n'}"state\x44ir": elsewhere`,
])('R12: a place that a file sets is found, however the YAML is written: %j', async (text) => {
  expect(await loadPlaces({ cwd: projectWith(text), env: {} })).toMatchObject({ stateDir: 'elsewhere' });
});

test('a command that only shows loops refuses a faulty configuration that may set a place', async () => {
  await expect(loadPlaces({ cwd: projectWith('stateDri: c\n'), env: {} })).rejects.toThrow('"stateDri"');
  await expect(loadPlaces({ cwd: projectWith('  stateDri: c\n'), env: {} })).rejects.toThrow('"stateDri"');
  await expect(loadPlaces({ cwd: projectWith(), env: {}, configFile: 'missing.yml' })).rejects.toThrow('missing.yml');
});

test('a command that only shows loops names an unknown variable, which may be a misspelled place', async () => {
  const unknown: unknown[] = [];
  const env = { RALPHD_STATE_DRI: 'b' };
  expect(await loadPlaces({ cwd: projectWith(), env, onUnknownVariable: (one) => unknown.push(one) })).toMatchObject(
    defaultPlaces,
  );
  expect(unknown).toEqual([{ name: 'RALPHD_STATE_DRI', meant: 'RALPHD_STATE_DIR' }]);
});

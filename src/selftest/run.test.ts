import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mustHold, NotPossible } from './findings.ts';
import { processesAround } from './processes.ts';
import { createRandom } from './random.ts';
import { runScenarios, type SelftestOptions } from './run.ts';
import type { Scenario } from './scenario.ts';

function optionsFor(more: Partial<SelftestOptions> = {}): SelftestOptions {
  const temporaryFolder = mkdtempSync(path.join(tmpdir(), 'ralphd-run-'));
  onTestFinished(() => rmSync(temporaryFolder, { recursive: true, force: true }));
  const signal = new AbortController().signal;
  const program = [process.execPath];
  return { program, searchPath: '/usr/bin:/bin', temporaryFolder, seed: 7, keep: false, signal, ...more };
}

const scenario = (name: string, play: Scenario['play']): Scenario => ({ name, action: 'a', promise: 'p', play });
const row = (name: string, more: object) => ({
  name,
  action: 'a',
  promise: 'p',
  durationMs: expect.any(Number),
  ...more,
});

/** A program that ends only when it is killed. */
const hangs = scenario('hangs', async (stage) => {
  await stage.project('x').startOther(['sleep', '600']).ended;
});

test('each scenario becomes a row, in the given order, and only a finding or an exception fails the self-test', async () => {
  const good = [
    scenario('passes', async () => {}),
    scenario('differs', async () => 'with a stand-in'),
    scenario('lacks', async () => {
      throw new NotPossible('no disk');
    }),
  ];
  const bad = [
    scenario('finds', async () => mustHold(false, 'a lost fact')),
    scenario('breaks', async () => {
      throw new TypeError('no such thing');
    }),
  ];
  const goodRows = [
    row('passes', { result: 'ok' }),
    row('differs', { result: 'ok', remark: 'with a stand-in' }),
    row('lacks', { result: 'not_possible', finding: 'no disk' }),
  ];
  const options = optionsFor();
  expect(await runScenarios(good, options)).toEqual({
    ok: true,
    seed: 7,
    durationMs: expect.any(Number),
    scenarios: goodRows,
  });
  expect(await runScenarios([...good, ...bad], options)).toMatchObject({
    ok: false,
    scenarios: [
      ...goodRows,
      row('finds', { result: 'failed', finding: 'a lost fact' }),
      row('breaks', { result: 'failed', finding: 'the scenario could not be played: no such thing' }),
    ],
  });
  expect(readdirSync(options.temporaryFolder)).toEqual([]);
});

test('a scenario that does not end is a finding, and what it started is gone', async () => {
  const options = optionsFor({ maxScenarioMs: 100 });
  const finding = 'the scenario did not end within 0.1 seconds';
  const { ok, scenarios } = await runScenarios([hangs], options);
  expect({ ok, scenarios }).toEqual({ ok: false, scenarios: [row('hangs', { result: 'failed', finding })] });
  expect(processesAround(options.temporaryFolder)).toEqual([]);
});

test('an interrupted self-test reports nothing that it did not see end, and a kept folder stays', async () => {
  const stop = new AbortController();
  const stops = scenario('stops', async () => stop.abort());
  const options = optionsFor({ signal: stop.signal, keep: true });
  const { folder = '', scenarios } = await runScenarios([hangs, stops], options);
  expect(scenarios).toEqual([]);
  expect(existsSync(folder)).toBe(true);
  expect(processesAround(options.temporaryFolder)).toEqual([]);
});

test('a seed repeats the choices of a scenario, whichever others are played', () => {
  const choices = (seed: number, name: string) => {
    const random = createRandom(seed, name);
    return Array.from({ length: 20 }, () => random.int(3, 9));
  };
  expect(choices(7, 'kills')).toEqual(choices(7, 'kills'));
  expect(choices(7, 'kills')).not.toEqual(choices(8, 'kills'));
  expect(choices(7, 'kills')).not.toEqual(choices(7, 'damage'));
  expect(choices(7, 'kills').every((number) => number >= 3 && number <= 9)).toBe(true);
});

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { GateTask } from '../core/index.ts';
import { configSchema, type LoopConfigInput } from '../protocol/index.ts';
import { takeGuards } from './guards/guards.ts';
import { createGate } from './run-gate.ts';

function prepare(config: LoopConfigInput = {}) {
  const workingDirectory = mkdtempSync(path.join(tmpdir(), 'ralphd-measures-'));
  onTestFinished(() => rmSync(workingDirectory, { recursive: true, force: true }));
  const setting = { workingDirectory, env: { PATH: '/usr/bin:/bin' }, uuid: randomUUID(), loopId: 'ralph-x-00000001' };
  const gate = createGate({ config: configSchema.parse(config), ...setting });
  const idle = { signal: new AbortController().signal, kill: new AbortController().signal };
  return {
    workingDirectory,
    write: (name: string, text: string) => writeFileSync(path.join(workingDirectory, name), text),
    measure: async (checks: readonly string[], more: Partial<GateTask> = {}) => {
      const run = await gate.run({ checks, guards: [], purpose: 'gate', isRepeat: false, ...more }, idle);
      return run?.measures;
    },
  };
}

const speed = { name: 'speed', pattern: '^speed: ([0-9.]+)$' };
const size = { name: 'size', pattern: '"bytes": ([0-9]+)', file: 'report.json', direction: 'down' as const };

test('B049: a gate records the problems, the coverage and the metrics that its checks print, also where they fail', async () => {
  const { measure } = prepare({ progress: { metrics: [speed] } });
  const lint = 'echo "✖ 3 problems (3 errors, 0 warnings)"; exit 1';
  const cover = 'echo "TOTAL 20 4 80%"; echo "speed: 1.5"';
  expect(await measure([lint, cover, 'echo speed: 2'])).toEqual([
    { of: 'lint', name: 'eslint', check: lint, value: 3 },
    { of: 'coverage', name: 'coverage.py', check: cover, value: 80 },
    { of: 'metric', name: 'speed', value: 2 },
  ]);
});

test('B049: an interrupted check gives no measures', async () => {
  const { measure } = prepare({ verifyTimeout: '2s' });
  expect(await measure(['echo "7 issues:"; sleep 1000'])).toEqual([]);
});

test('B052: a metric in a file counts only when the checks wrote that file', async () => {
  const { measure, write } = prepare({ progress: { metrics: [size] } });
  write('report.json', '{ "bytes": 1 }');
  expect(await measure(['true'])).toEqual([]);
  const writes = (bytes: number) => `echo '{ "bytes": ${bytes} }' > report.json`;
  expect(await measure([writes(7)])).toEqual([{ of: 'metric', name: 'size', value: 7 }]);
  // Written again with the same content.
  expect(await measure([writes(7)])).toEqual([{ of: 'metric', name: 'size', value: 7 }]);
  expect(await measure(['rm report.json'])).toEqual([]);
});

test('R16: a metric in a file that leads out of the work tree is not read', async () => {
  const { measure, workingDirectory } = prepare({ progress: { metrics: [size] } });
  const outside = mkdtempSync(path.join(tmpdir(), 'ralphd-outside-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  symlinkSync(path.join(outside, 'report.json'), path.join(workingDirectory, 'report.json'));
  expect(await measure([`echo '"bytes": 3' > report.json`])).toEqual([]);
});

test('R16: a gate with tampered files gives no measures', async () => {
  const { measure, write, workingDirectory } = prepare();
  write('check.sh', 'echo "7 issues:"');
  const files = [{ folder: '', names: ['check.sh'], onlyFirst: true }];
  const plan = { files, scripts: [], targets: [], settings: [], programs: [] };
  const { guards } = takeGuards(plan, { folder: workingDirectory, PATH: '', nestedScripts: () => [] });
  expect(guards).toHaveLength(1);
  write('check.sh', 'echo "0 issues."');
  expect(await measure(['sh check.sh'], { guards })).toEqual([]);
});

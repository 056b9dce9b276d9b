import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { foldState } from '../../src/app/adapters/fold-state.ts';
import { guardId, guardNames } from '../../src/core/index.ts';
import { changedGuards, guardPlace } from '../../src/gate/index.ts';
import { storeIn } from '../../src/store/testing/stores.ts';

// A paused loop of version 0.1.0, which stored guards as text: in the first fact, in the baseline, in the accepted
// changes, in the snapshot and in a checkpoint. These are the files of its project.
const recording = path.join(import.meta.dirname, '../recordings-of-loops/guards-as-text');
const loopId = 'ralph-golden-506e264b';
const program = '#!/bin/sh\ntest -f done\n';
const files = {
  'package.json': '{"scripts":{"test":"tester && late && node scripts/run.js"},"jest":{"bail":true}}\n',
  'scripts/run.js': 'console.log(1)\n',
  'node_modules/tester/package.json': '{"version":"1.0.0"}',
  'node_modules/tester/cli.sh': program,
  'node_modules/.bin/late': program,
  '.venv/bin/pytest': program,
  'check.sh': '#!/bin/sh\ntest -f done # mine\n',
  'stamp.sh': '#!/bin/sh\n',
  Makefile: 'test:\n\ttest -f done\n',
  'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-q"\n',
};

function oldLoop(...without: readonly string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd old '));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
    if (text.startsWith('#!')) chmodSync(path.join(folder, name), 0o755);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  symlinkSync('../tester/cli.sh', path.join(folder, 'node_modules/.bin/tester'));
  const at = path.join(folder, '.ralph/loops', loopId);
  cpSync(recording, at, { recursive: true });
  for (const name of without) rmSync(path.join(at, name), { recursive: true });
  using open = storeIn(folder).open(loopId);
  const {
    gate: { guards = [] },
    status,
  } = foldState({ loopId, ...open.recovered });
  const place = guardPlace({ workingDirectory: folder, env: { PATH: '/usr/bin:/bin' } });
  const changes = () => changedGuards(guards, place).map(({ kind, name }) => [kind, name]);
  return { folder, write, guards, status, changes };
}

test.each([
  ['its snapshot', []],
  ['a checkpoint', ['state.json']],
  ['its journal alone', ['state.json', 'checkpoints']],
])('a loop whose guards were texts opens from %s with guards that say of which kind they are', (_from, without) => {
  const { guards, status, changes } = oldLoop(...without);
  expect(status).toBe('paused');
  expect(new Set(guards.map(({ kind }) => kind))).toEqual(
    new Set(['file', 'script', 'target', 'part', 'names', 'program']),
  );
  expect(guardNames(guards)).toEqual({
    guarded: [
      'check.sh',
      'scripts/run.js',
      'Makefile#test',
      'package.json#scripts.test',
      '.venv/bin/pytest',
      'node_modules/.bin/tester',
      'node_modules/.bin/late',
    ],
    watched: ['pyproject.toml#pytest', 'package.json#jest'],
  });
  expect(guards.map(guardId)).not.toContain('stamp.sh');
  expect(changes()).toEqual([]);
});

test('guards that were texts still find what was changed', () => {
  const { folder, write, changes } = oldLoop();
  write('check.sh', '#!/bin/sh\n');
  write('package.json', '{"scripts":{"test":"true"}}');
  write('Makefile', 'test:\n\ttrue\n');
  write('node_modules/tester/cli.sh', '#!/bin/sh\n');
  unlinkSync(path.join(folder, 'node_modules/.bin/late'));
  write('.npmrc', 'script-shell=./yes\n');
  write('jest.config.js', '');
  write('_pytest/__init__.py', '');
  write('node_modules/.bin/node', '#!/bin/sh\n');
  expect(changes()).toEqual([
    ['tampered', 'check.sh'],
    ['tampered', 'Makefile#test'],
    ['tampered', 'package.json#scripts.test'],
    ['tampered', 'node_modules/.bin/tester'],
    ['tampered', 'node_modules/.bin/node'],
    ['tampered', '.npmrc#scripts (new)'],
    ['tampered', '_pytest/__init__.py (new)'],
    ['doubt', 'package.json#jest'],
    ['doubt', 'jest.config.js (new)'],
    ['doubt', 'node_modules/.bin/late'],
  ]);
});

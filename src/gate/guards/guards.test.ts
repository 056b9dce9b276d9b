import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { guardId } from '../../core/index.ts';
import { changedGuards, retakeGuards, takeGuards } from './guards.ts';

function createTree() {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd guards '));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => path.join(folder, name);
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  const nestedScripts = (script: string) => [...script.matchAll(/npm run (\w+)/g)].map(([, name = '']) => name);
  const place = { folder, PATH: '', nestedScripts };
  const guard = (names: readonly string[], scripts: readonly string[] = [], onlyFirst = false) =>
    takeGuards(
      {
        files: [{ folder: '', names, onlyFirst }],
        scripts: scripts.map((name) => ({ folder: '', name })),
        targets: [],
        settings: [],
        programs: [],
      },
      place,
    ).guards;
  const changed = (guards: ReturnType<typeof guard>) => changedGuards(guards, place).map(({ name }) => name);
  const retake = (guards: ReturnType<typeof guard>) => retakeGuards(guards, place);
  return { folder, at, write, guard, changed, retake };
}

test('only words that are plain files of the work tree are guarded', () => {
  const { write, guard, folder } = createTree();
  write('check.sh', 'exit 1');
  write('scripts/verify.py', '');
  const words = [
    './check.sh',
    '--fast',
    'scripts',
    'scripts/verify.py',
    'missing.sh',
    '/bin/sh',
    '../../etc/passwd',
    '',
    '.',
  ];
  expect(guard(words).map(guardId)).toEqual(['check.sh', 'scripts/verify.py']);
  expect(guard([path.join(folder, 'check.sh')]).map(guardId)).toEqual(['check.sh']);
  expect(guard(words, [], true).map(guardId)).toEqual(['check.sh']);
});

test('R6: a guarded file that is edited, deleted or replaced by a link has changed; one that is only touched has not', () => {
  const { at, write, guard, changed } = createTree();
  write('check.sh', 'exit 1');
  const guards = guard(['check.sh']);
  chmodSync(at('check.sh'), 0o755);
  write('check.sh', 'exit 1');
  expect(changed(guards)).toEqual([]);
  write('check.sh', 'exit 0');
  expect(changed(guards)).toEqual(['check.sh']);
  unlinkSync(at('check.sh'));
  expect(changed(guards)).toEqual(['check.sh']);
  write('same.sh', 'exit 1');
  symlinkSync('same.sh', at('check.sh'));
  expect(changed(guards)).toEqual(['check.sh']);
  unlinkSync(at('check.sh'));
  mkdirSync(at('check.sh'));
  expect(changed(guards)).toEqual(['check.sh']);
});

test('R6: a parent folder that is replaced by a link to other files is noticed', () => {
  const { at, write, guard, changed } = createTree();
  write('scripts/check.sh', 'exit 1');
  write('mine/check.sh', 'exit 0');
  const guards = guard(['scripts/check.sh']);
  renameSync(at('scripts'), at('scripts-before'));
  symlinkSync('mine', at('scripts'));
  expect(changed(guards)).toEqual(['scripts/check.sh']);
});

test('both a link and its target are guarded', () => {
  const { at, write, guard, changed } = createTree();
  write('real.sh', 'exit 1');
  symlinkSync('real.sh', at('check.sh'));
  const guards = guard(['check.sh']);
  expect(guards.map(guardId)).toEqual(['check.sh', 'real.sh']);
  write('other.sh', 'exit 0');
  unlinkSync(at('check.sh'));
  symlinkSync('other.sh', at('check.sh'));
  expect(changed(guards)).toEqual(['check.sh']);
  unlinkSync(at('check.sh'));
  symlinkSync('real.sh', at('check.sh'));
  write('real.sh', 'exit 0');
  expect(changed(guards)).toEqual(['real.sh']);
});

const manifest = (scripts: object, more: object = {}) => JSON.stringify({ name: 'x', scripts, ...more });

test('R6: the script of "npm test" is guarded with its pre and post scripts and the scripts it runs, and nothing else', () => {
  const { at, write, guard, changed } = createTree();
  const scripts = { test: 'npm run unit && vitest', unit: 'node --test', lint: 'eslint' };
  write('package.json', manifest(scripts));
  const guards = guard([], ['test', 'nothing']);
  expect(guards.map(guardId)).toEqual(['package.json#scripts.test']);
  write('package.json', manifest({ ...scripts, lint: 'true', build: 'tsc' }, { dependencies: { a: '1' } }));
  expect(changed(guards)).toEqual([]);
  for (const edit of [{ test: 'true' }, { unit: 'true' }, { pretest: 'rm test.js' }, { posttest: 'true' }]) {
    write('package.json', manifest({ ...scripts, ...edit }));
    expect(changed(guards), JSON.stringify(edit)).toEqual(['package.json#scripts.test']);
  }
  write('package.json', '{');
  expect(changed(guards)).toEqual(['package.json#scripts.test']);
  unlinkSync(at('package.json'));
  expect(changed(guards)).toEqual(['package.json#scripts.test']);
});

test('guards taken again hold the present state, without files that are gone', () => {
  const { at, write, guard, changed, retake } = createTree();
  write('a.sh', '1');
  write('b.sh', '1');
  const guards = guard(['a.sh', 'b.sh']);
  write('a.sh', '2');
  unlinkSync(at('b.sh'));
  const again = retake(guards);
  expect(again.map(guardId)).toEqual(['a.sh']);
  expect(changed(again)).toEqual([]);
});

test('the number of guards is limited', () => {
  const { write, guard } = createTree();
  const names = Array.from({ length: 650 }, (_, index) => `file-${index}`);
  for (const name of names) write(name, '');
  expect(guard(names)).toHaveLength(600);
});

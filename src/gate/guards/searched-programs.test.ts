import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Files, guarded, scripts } from '../testing/guarded.ts';

const program = '#!/bin/sh\n';
const project = { 'package.json': scripts({ test: 'tester' }), 'run.sh': '#!/bin/sh\nnpm test\n' };
const tester = (version: string, text = program): Files => ({
  'node_modules/tester/package.json': JSON.stringify({ version }),
  'node_modules/tester/cli.js': text,
});

test.each<[string, string, Files, Files, string]>([
  ['beside the programs of a package', 'npm test', {}, { 'node_modules/.bin/sh': program }, 'node_modules/.bin/sh'],
  [
    'for a package script that a shell script runs',
    './run.sh',
    {},
    { 'node_modules/.bin/uname': program },
    'node_modules/.bin/uname',
  ],
  ['that is no part of a package', 'npm test', {}, { 'node_modules/.bin/gzip': program }, 'node_modules/.bin/gzip'],
  [
    'of a package of its own',
    'npm test',
    {},
    {
      'node_modules/fake/package.json': '{"version":"1.0.0"}',
      'node_modules/fake/sed': program,
      'node_modules/.bin/sed': '@node_modules/fake/sed',
    },
    'node_modules/.bin/sed',
  ],
  ['in a folder of the PATH', 'PATH=x ./check', { check: program }, { 'tools/bin/sh': program }, 'tools/bin/sh'],
  ['for uv', 'uv run pytest', { '.venv/bin/pytest': program }, { '.venv/bin/git': program }, '.venv/bin/git'],
])('R6: a new program %s that shadows a system program refuses', (_what, check, files, planted, named) => {
  const { changed, write } = guarded({ ...project, ...tester('1.0.0'), ...files }, check, {
    PATH: 'tools/bin:/usr/bin:/bin',
  });
  expect(changed()).toEqual([]);
  for (const [name, text] of Object.entries(planted)) write(name, text);
  expect(changed()).toEqual([named]);
});

test('R6: an installed program that no check names refuses when its bytes change under the same version', () => {
  const files = { ...project, ...tester('1.0.0'), 'node_modules/.bin/tester': '@node_modules/tester/cli.js' };
  const { changed, doubts, write } = guarded(files, 'npm test');
  write('node_modules/tester/cli.js', '#!/bin/sh\nexit 0\n');
  expect(changed()).toEqual(['node_modules/.bin/tester']);
  write('node_modules/tester/package.json', '{"version":"2.0.0"}');
  expect([changed(), doubts()]).toEqual([[], ['node_modules/.bin/tester']]);
});

test('R6: the interpreter in the first line of a program refuses when it is replaced, also through a link', () => {
  const place = mkdtempSync(path.join(tmpdir(), 'ralphd-interpreter-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const [real, link] = [path.join(place, 'python3.11'), path.join(place, 'python')];
  const write = (file: string, text: string) => {
    rmSync(file, { force: true });
    writeFileSync(file, text, { mode: 0o755 });
  };
  write(real, program);
  symlinkSync('python3.11', link);
  const { changed } = guarded({ check: `#!${link} -u\n` }, './check');
  expect(changed()).toEqual([]);
  write(real, '#!/bin/sh\nexit 0\n');
  expect(changed()).toEqual([link]);
  write(real, program);
  expect(changed()).toEqual([]);
  write(link, program);
  expect(changed()).toEqual([link]);
  rmSync(link);
  symlinkSync('python3.11', link);
  expect(changed()).toEqual([]);
});

test('an installed program that shadows nothing, and a link to the same program, are accepted', () => {
  const { changed, doubts, folder, write } = guarded({ ...project, ...tester('1.0.0') }, 'npm test');
  write('node_modules/left/package.json', '{"version":"1.0.0"}');
  write('node_modules/left/cli.js', program);
  write('node_modules/.bin/left', '@node_modules/left/cli.js');
  symlinkSync('/usr/bin/env', path.join(folder, 'node_modules/.bin/env'));
  expect([changed(), doubts()]).toEqual([[], []]);
});

test.each<[string, string, NodeJS.ProcessEnv, string]>([
  ['BASH_ENV', './check', { BASH_ENV: './start.sh' }, 'start.sh'],
  ['LD_PRELOAD', './check', { LD_PRELOAD: './lib/a.so ./lib/b.so' }, 'lib/b.so'],
  [
    'NODE_OPTIONS',
    './check',
    { NODE_OPTIONS: '--max-old-space-size=1 --require ./around/hook.cjs' },
    'around/hook.cjs',
  ],
  ['PYTHONPATH', './check', { PYTHONPATH: 'src:./lib' }, 'lib/sitecustomize.py'],
  ['a login shell', "bash -lc './check'", {}, 'home/.profile'],
])('R6: a file that is loaded first because of %s refuses', (_what, check, env, file) => {
  const { changed, write, folder } = guarded({ check: program, 'home/x': '', 'lib/x': '', 'around/x': '' }, check, env);
  write(file, 'new');
  expect(changed().map((name) => path.relative(folder, path.resolve(folder, name)))).toEqual([`${file} (new)`]);
});

test.each<[string, string, string]>([
  ['profiles of shells', './check', 'home/.bashrc'],
  ['start files of python', 'pytest', 'home/.local/lib/python3.11/site-packages/evil.pth'],
  ['settings of maven', 'mvn test', 'home/.m2/settings.xml'],
  ['hooks of git', 'git diff --exit-code', '.git/hooks/pre-commit'],
])('R6: new %s of the user are reported', (_what, check, file) => {
  const files = {
    check: program,
    'home/.local/lib/python3.11/site-packages/x': '',
    'home/.m2/x': '',
    '.git/hooks/x': '',
  };
  const { changed, doubts, write, folder } = guarded(files, check);
  write(file, 'new');
  expect(changed()).toEqual([]);
  expect(doubts().map((name) => path.relative(folder, path.resolve(folder, name)))).toEqual([`${file} (new)`]);
});

test('R6: a package whose files changed under the same version is reported; a new version and a new package are not', () => {
  const files = {
    ...project,
    ...tester('1.0.0'),
    'node_modules/tester/lib/deep.js': '1',
    'node_modules/@a/b/package.json': '{"version":"1.0.0"}',
  };
  const { changed, doubts, write } = guarded(files, 'npm test');
  write('node_modules/.vite/x', '');
  write('node_modules/new/package.json', '{"version":"1.0.0"}');
  expect([changed(), doubts()]).toEqual([[], []]);
  write('node_modules/tester/lib/deep.js', '2');
  write('node_modules/@a/b/extra.js', '');
  expect(doubts()).toEqual([
    'node_modules/@a/b (edited in place, still version 1.0.0)',
    'node_modules/tester (edited in place, still version 1.0.0)',
  ]);
  write('node_modules/tester/package.json', '{"version":"2.0.0"}');
  write('node_modules/@a/b/package.json', '{"version":"2.0.0"}');
  expect(doubts()).toEqual([]);
});

test('packages reinstalled in the same version are named together', () => {
  const { doubts, folder, write } = guarded({ ...project, ...tester('1.0.0') }, 'npm test');
  rmSync(path.join(folder, 'node_modules'), { recursive: true });
  for (const [name, text] of Object.entries({ 'node_modules/other/x': '', ...tester('1.0.0') })) write(name, text);
  expect(doubts()).toEqual(['node_modules (1 package reinstalled in the same version)']);
});

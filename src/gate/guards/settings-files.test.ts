import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { configSchema } from '../../protocol/index.ts';
import { type Files, guarded, scripts } from '../testing/guarded.ts';
import type { GuardChange } from './guard.ts';
import { changedGuards } from './guards.ts';
import { guardPlace, guardsOf } from './plan-guards.ts';

test.each<[string, string, Files, string, Files]>([
  ['the shell of npm', 'npm test', {}, '.npmrc#scripts (new)', { '.npmrc': 'registry=x\n"script-shell" = ./yes\n' }],
  ['a module of the name', 'python3 -m pytest', {}, 'pytest.py (new)', { 'pytest.py': '' }],
  ['a package of the name', 'python3 -m pytest -q', {}, 'pytest/__init__.py (new)', { 'pytest/__init__.py': '' }],
  [
    'settings of go',
    'go test ./...',
    {},
    'home/.config/go/env#flags (new)',
    { 'home/.config/go/env': 'GOFLAGS=-run=x' },
  ],
  [
    'the shell of pnpm',
    'pnpm test',
    {},
    'pnpm-workspace.yaml#scripts (new)',
    { 'pnpm-workspace.yaml': 'scriptShell: x' },
  ],
  ['a program of the system', 'npm test', {}, 'node_modules/.bin/node', { 'node_modules/.bin/node': '' }],
])('R6: %s that appears under "%s" refuses', (_what, check, files, expected, edit) => {
  const { changed, write, folder } = guarded(
    { 'package.json': scripts({ test: 'node check.js' }), 'home/.config/x': '', ...files },
    check,
  );
  for (const [name, text] of Object.entries(edit)) write(name, text);
  expect(changed().map((name) => path.relative(folder, path.resolve(folder, name)))).toEqual([expected]);
});

test.each<[string, string, Files, string, Files]>([
  [
    'the configuration of a runner',
    'npm test',
    { 'package.json': scripts({ test: 'vitest run' }), 'vitest.config.ts': '1' },
    'vitest.config.ts',
    { 'vitest.config.ts': '2' },
  ],
  [
    'a configuration that comes',
    'npm test',
    { 'package.json': scripts({ test: 'jest' }) },
    'jest.config.mjs (new)',
    { 'jest.config.mjs': '2' },
  ],
  [
    'the configuration in a manifest',
    'npx jest',
    { 'package.json': JSON.stringify({ jest: { bail: true } }) },
    'package.json#jest',
    { 'package.json': JSON.stringify({ jest: { testPathIgnorePatterns: ['.*'] } }) },
  ],
  [
    'a file that a configuration has run first',
    'npx vitest run',
    { 'vitest.config.ts': "export default { test: { setupFiles: ['./around/setup'] } }", 'around/setup.ts': '1' },
    'around/setup.ts',
    { 'around/setup.ts': '2' },
  ],
  [
    'the section of a tool, however it is written',
    'pytest -q',
    { 'pyproject.toml': '[project]\nname = "x"\n' },
    'pyproject.toml#pytest (new)',
    { 'pyproject.toml': '[project]\nname = "x"\n[ "tool" . pytest.ini_options]\naddopts = "--co"\n' },
  ],
  [
    'the script of a package that comes between',
    'cd web && npm test',
    { 'package.json': scripts({ test: 'exit 1' }), 'web/a': '' },
    'web/package.json#scripts.test (new)',
    { 'web/package.json': scripts({ test: 'exit 0' }) },
  ],
  [
    'a test script where there was none',
    'npm test',
    {},
    'package.json#scripts.test (new)',
    { 'package.json': scripts({ test: 'exit 0' }) },
  ],
  ['a check that was not there', './check.sh', {}, 'check.sh (new)', { 'check.sh': 'exit 0' }],
  ['a test that was not there', 'node scripts/try.mjs', {}, 'scripts/try.mjs (new)', { 'scripts/try.mjs': '' }],
  ['a target where there was none', 'make test', {}, 'Makefile#test (new)', { GNUmakefile: 'test:\n\ttrue\n' }],
  ['a conftest.py that comes', 'pytest', { 'a.py': '' }, 'conftest.py (new)', { 'conftest.py': '' }],
  ['settings of pytest', 'python3 -m pytest', { 'pytest.ini': '1' }, 'pytest.ini', { 'pytest.ini': '2' }],
  ['looser types', 'npx tsc --noEmit', { 'tsconfig.json': '1' }, 'tsconfig.json', { 'tsconfig.json': '2' }],
  ['looser rules', 'npx eslint .', { 'a.js': '' }, '.eslintignore (new)', { '.eslintignore': '*' }],
  [
    'skipped tests',
    './mvnw test',
    { 'pom.xml': '<a/>', mvnw: '' },
    'pom.xml#tests (new)',
    { 'pom.xml': '<skipTests>' },
  ],
  [
    'a crate without its harness',
    'cargo test',
    { 'Cargo.toml': '[package]\nname = "x"\n[dependencies]\n' },
    'Cargo.toml#tests (new)',
    { 'Cargo.toml': '[package]\nname = "x"\n[dependencies]\nserde = "1"\n[lib]\nharness = false\n' },
  ],
  [
    'another runtime',
    'npm test',
    { '.nvmrc': '22', 'package.json': scripts({ test: 'x' }) },
    '.nvmrc',
    { '.nvmrc': '4' },
  ],
  [
    'a program that was installed only now',
    'npm test',
    { 'package.json': scripts({ test: 'some-runner' }) },
    'node_modules/.bin/some-runner',
    { 'node_modules/.bin/some-runner': '' },
  ],
  [
    'a member that was taken out',
    'npm test --workspaces',
    { 'package.json': JSON.stringify({ workspaces: ['a', 'b'] }), 'a/package.json': '{}' },
    'package.json#workspaces',
    { 'package.json': JSON.stringify({ workspaces: ['a'] }) },
  ],
])('%s is reported for "%s" and refuses nothing', (_what, check, files, expected, edit) => {
  const { changed, doubts, write } = guarded(files, check);
  expect(doubts()).toEqual([]);
  for (const [name, text] of Object.entries(edit)) write(name, text);
  expect(changed()).toEqual([]);
  expect(doubts()).toEqual([expected]);
});

/** An installed package with a linked program, as npm installs it. */
function installed(version: string, program: string): Files {
  return { 'node_modules/tester/package.json': JSON.stringify({ version }), 'node_modules/tester/cli.js': program };
}

test('R6: different bytes of an installed program under the same version refuse; another version is only reported', () => {
  const { changed, doubts, write, folder } = guarded(
    { 'package.json': scripts({ test: 'tester' }), ...installed('1.0.0', 'a'), 'node_modules/.bin/x': '' },
    'npm test',
  );
  expect([changed(), doubts()]).toEqual([[], []]);
  rmSync(path.join(folder, 'node_modules/.bin/x'));
  symlinkSync('../tester/cli.js', path.join(folder, 'node_modules/.bin/tester'));
  chmodSync(path.join(folder, 'node_modules/tester/cli.js'), 0o755);
  const retaken = again(folder);
  expect(retaken()).toEqual([]);
  write('node_modules/tester/cli.js', 'b');
  expect(retaken()).toEqual([['tampered', 'node_modules/.bin/tester']]);
  write('node_modules/tester/package.json', JSON.stringify({ version: '2.0.0' }));
  expect(retaken()).toEqual([['doubt', 'node_modules/.bin/tester']]);
  rmSync(path.join(folder, 'node_modules/.bin/tester'));
  write('node_modules/.bin/tester', 'exit 0');
  chmodSync(path.join(folder, 'node_modules/.bin/tester'), 0o755);
  expect(retaken()).toEqual([['tampered', 'node_modules/.bin/tester']]);
});

function again(folder: string) {
  const place = { workingDirectory: folder, env: { PATH: '/usr/bin:/bin' } };
  const { guards = [] } = guardsOf(configSchema.parse({}), ['npm test'], place);
  const isFile = ({ guard }: GuardChange) => guard.kind !== 'packages';
  return () => [
    ...new Map(
      changedGuards(guards, guardPlace(place))
        .filter(isFile)
        .map(({ kind, name }) => [name, [kind, name]]),
    ).values(),
  ];
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scriptsIn } from '../core/index.ts';
import { configSchema } from '../protocol/index.ts';
import { changedGuards } from '../workspace/index.ts';
import { guardsOf } from './gate-guards.ts';

type Files = Readonly<Record<string, string>>;

function guarded(files: Files, check: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd guards '));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const { guards = [] } = guardsOf(configSchema.parse({}), [check], folder);
  return { write, paths: guards.map((guard) => guard.path), changed: () => changedGuards(folder, guards, scriptsIn) };
}

const scripts = (texts: Files) => JSON.stringify({ scripts: texts });

test.each<[string, string, Files, string, Files]>([
  [
    'the file that a package script runs',
    'npm test',
    { 'package.json': scripts({ test: 'node scripts/run.js' }), 'scripts/run.js': '1' },
    'scripts/run.js',
    { 'scripts/run.js': '2' },
  ],
  [
    'the file that a script of a script runs',
    'npm test',
    { 'package.json': scripts({ test: 'npm run -s unit', unit: './unit.sh --all' }), 'unit.sh': '1' },
    'unit.sh',
    { 'unit.sh': '2' },
  ],
  [
    'the script of a package in another folder',
    'npm test',
    { 'package.json': scripts({ test: 'cd web && npm test' }), 'web/package.json': scripts({ test: 'exit 1' }) },
    'web/package.json#scripts.test',
    { 'web/package.json': scripts({ test: 'exit 0' }) },
  ],
  [
    'the configuration that a package script names',
    'npm test',
    { 'package.json': scripts({ test: 'vitest run --config=unit.config.ts' }), 'unit.config.ts': '1' },
    'unit.config.ts',
    { 'unit.config.ts': '2' },
  ],
  [
    'a target of a makefile',
    'make test',
    { Makefile: 'all:\n\tcc a.c\ntest: all\n\t./a.out\n' },
    'Makefile#test',
    { Makefile: 'all:\n\tcc a.c\ntest: all\n\ttrue\n' },
  ],
  [
    'a target, when another makefile comes that goes before it',
    'make test',
    { Makefile: 'test:\n\tfalse\n' },
    'Makefile#test',
    { GNUmakefile: 'test:\n\ttrue\n' },
  ],
  [
    'a target that the target leads to',
    'make test',
    { Makefile: 'test: unit-test\nunit-test:\n\tfalse\n' },
    'Makefile#test',
    { Makefile: 'test: unit-test\nunit-test:\n\ttrue\n' },
  ],
  [
    'the variable in which a target has its runner',
    'make test',
    { Makefile: 'TEST_COMMAND = pytest\ntest:\n\t$(TEST_COMMAND)\n' },
    'Makefile#test',
    { Makefile: 'TEST_COMMAND = true\ntest:\n\t$(TEST_COMMAND)\n' },
  ],
  [
    'the shell of all recipes',
    'make test',
    { Makefile: 'test:\n\tfalse\n' },
    'Makefile#test',
    { Makefile: 'SHELL = /bin/true\ntest:\n\tfalse\n' },
  ],
  [
    'the file that a target runs',
    'make -C lib test',
    { 'lib/Makefile': 'test:\n\t@./run-tests.py\n', 'lib/run-tests.py': '1' },
    'lib/run-tests.py',
    { 'lib/run-tests.py': '2' },
  ],
  [
    'the target behind a package script',
    'npm test',
    { 'package.json': scripts({ test: 'make test' }), Makefile: 'test:\n\tfalse\n' },
    'Makefile#test',
    { Makefile: 'test:\n\ttrue\n' },
  ],
  [
    'a recipe of a justfile',
    'just test',
    { justfile: 'test *args:\n  false\n' },
    'justfile#test',
    { justfile: 'test *args:\n  true\n' },
  ],
  [
    'a file that a check takes in',
    './ci/check',
    { 'ci/check': '#!/bin/bash\n. "$(dirname "$0")/lib.sh" || exit 1\n', 'ci/lib.sh': '1' },
    'ci/lib.sh',
    { 'ci/lib.sh': '2' },
  ],
])('R6: %s is guarded behind "%s"', (_what, check, files, expected, edit) => {
  const { paths, changed, write } = guarded(files, check);
  expect(paths).toContain(expected);
  expect(changed()).toEqual([]);
  for (const [name, text] of Object.entries(edit)) write(name, text);
  expect(changed()).toEqual([expected]);
});

test.each<[string, string, Files, Files]>([
  [
    'the work that a package script runs',
    'npm test',
    { 'package.json': scripts({ test: 'node src/search.js --selftest' }), 'src/search.js': '1' },
    { 'src/search.js': '2' },
  ],
  [
    'tests that a package script names',
    'npm test',
    { 'package.json': scripts({ test: 'node test.js && node test/all.js' }), 'test.js': '1', 'test/all.js': '1' },
    { 'test.js': '2', 'test/all.js': '2' },
  ],
  [
    'what a package is built with',
    'npm test',
    {
      'package.json': scripts({ test: 'npm run build && vitest', build: 'node scripts/build.js' }),
      'scripts/build.js': '1',
    },
    { 'scripts/build.js': '2' },
  ],
  [
    'another target, and what the tests are built from',
    'make test',
    { Makefile: 'OBJS = a.o\nall: $(OBJS)\n\tcc $(OBJS)\ntest: all\n\t./a.out\n' },
    { Makefile: 'OBJS = a.o b.o\nall: $(OBJS)\n\tcc -O2 $(OBJS)\nclean:\n\trm *.o\ntest: all\n\t./a.out\n' },
  ],
  ['settings that a check takes in', './check.sh', { 'check.sh': '. ./.env\n', '.env': '1' }, { '.env': '2' }],
])('%s may change', (_what, check, files, edit) => {
  const { changed, write } = guarded(files, check);
  for (const [name, text] of Object.entries(edit)) write(name, text);
  expect(changed()).toEqual([]);
});

test('a makefile that is made to be slow to read is read all the same', () => {
  const { changed, write } = guarded({ Makefile: 'test:\n\tfalse\n' }, 'make test');
  const long = 200_000;
  for (const text of [
    `test${' '.repeat(long)}`,
    'test:\n'.repeat(long / 4),
    `${'t '.repeat(long)}:\n${'\tx\n'.repeat(long)}`,
  ]) {
    write('Makefile', text);
    expect(changed()).toEqual(['Makefile#test']);
  }
});

test('scripts and targets that lead to each other come to an end', () => {
  const circle = scripts({ test: 'npm run a && make test', a: 'npm run b', b: 'npm run a && npm test' });
  const { paths } = guarded(
    { 'package.json': circle, Makefile: 'test: test-b\n\tnpm test\ntest-b: test\n' },
    'npm test',
  );
  expect(paths).toContain('package.json#scripts.test');
});

import { expect, test } from 'vitest';
import { type Files, guarded, scripts } from '../testing/guarded.ts';

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
    'a target, when a makefile with precedence appears',
    'make test',
    { Makefile: 'test:\n\tfalse\n' },
    'Makefile#test',
    { GNUmakefile: 'test:\n\ttrue\n' },
  ],
  [
    'a prerequisite of the target',
    'make test',
    { Makefile: 'test: unit-test\nunit-test:\n\tfalse\n' },
    'Makefile#test',
    { Makefile: 'test: unit-test\nunit-test:\n\ttrue\n' },
  ],
  [
    'the variable that names the runner of a target',
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
    'the shell that a pattern sets for recipes',
    'make test',
    { Makefile: 'test:\n\tfalse\n' },
    'Makefile#test',
    { Makefile: '%: SHELL := /bin/true\ntest:\n\tfalse\n' },
  ],
  [
    'the file that a target runs',
    'make -C lib test',
    { 'lib/Makefile': 'test:\n\t@./run-tests.py\n', 'lib/run-tests.py': '1' },
    'lib/run-tests.py',
    { 'lib/run-tests.py': '2' },
  ],
  [
    'the target that a package script runs',
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
    'a file that a check sources',
    './ci/check',
    { 'ci/check': '#!/bin/bash\n. "$(dirname "$0")/lib.sh" || exit 1\n', 'ci/lib.sh': '1' },
    'ci/lib.sh',
    { 'ci/lib.sh': '2' },
  ],
  [
    'the script of a member of a workspace',
    'npm test --workspaces',
    {
      'package.json': JSON.stringify({ workspaces: ['packages/*'] }),
      'packages/a/package.json': scripts({ test: 'exit 1' }),
    },
    'packages/a/package.json#scripts.test',
    { 'packages/a/package.json': scripts({ test: 'exit 0' }) },
  ],
  [
    'the script of a member that pnpm visits',
    'pnpm -r test',
    {
      'package.json': '{}',
      'pnpm-workspace.yaml': 'packages:\n  # all\n  - "libs/**"\n',
      'libs/x/y/package.json': scripts({ test: 'exit 1' }),
    },
    'libs/x/y/package.json#scripts.test',
    { 'libs/x/y/package.json': scripts({ test: 'exit 0' }) },
  ],
  [
    'the script of a member that turbo runs from a script',
    'npm test',
    {
      'package.json': JSON.stringify({ workspaces: { packages: ['apps/web'] }, scripts: { test: 'turbo run test' } }),
      'apps/web/package.json': scripts({ test: 'exit 1' }),
    },
    'apps/web/package.json#scripts.test',
    { 'apps/web/package.json': scripts({ test: 'exit 0' }) },
  ],
  [
    'the script of a member called by its name',
    'npm -w web test',
    {
      'package.json': JSON.stringify({ workspaces: ['packages/*'] }),
      'packages/site/package.json': JSON.stringify({ name: 'web', scripts: { test: 'exit 1' } }),
    },
    'packages/site/package.json#scripts.test',
    { 'packages/site/package.json': JSON.stringify({ name: 'web', scripts: { test: 'exit 0' } }) },
  ],
  [
    'the script of the package above',
    'cd web && npm test',
    { 'package.json': scripts({ test: 'exit 1' }), 'web/a.txt': '' },
    'package.json#scripts.test',
    { 'package.json': scripts({ test: 'exit 0' }) },
  ],
  [
    'a rule in an included makefile',
    'make test',
    { Makefile: '-include build/rules.mk other.mk\n', 'build/rules.mk': 'test:\n\tfalse\n' },
    'Makefile#test',
    { 'build/rules.mk': 'test:\n\ttrue\n' },
  ],
  [
    'a variable that another makefile sets',
    'make test',
    { Makefile: 'include vars.mk\ntest:\n\t$(TESTS)\n', 'vars.mk': 'TESTS = false\n' },
    'Makefile#test',
    { 'vars.mk': 'TESTS = true\n' },
  ],
  [
    'a task of a Taskfile',
    'task test',
    { 'Taskfile.yml': 'version: 3\ntasks:\n  build: cc a.c\n  test:\n    cmds:\n      - ./a.out\n' },
    'Taskfile.yml#test',
    { 'Taskfile.yml': 'version: 3\ntasks:\n  build: cc a.c\n  test:\n    cmds:\n      - true\n' },
  ],
  [
    'a task that another task runs',
    'task test',
    { 'Taskfile.yml': 'tasks:\n  test:\n    deps: [test:unit]\n  test:unit: exit 1\n' },
    'Taskfile.yml#test',
    { 'Taskfile.yml': 'tasks:\n  test:\n    deps: [test:unit]\n  test:unit: exit 0\n' },
  ],
  [
    'a script of composer',
    'composer test',
    { 'composer.json': JSON.stringify({ scripts: { test: ['phpunit'] } }) },
    'composer.json#scripts.test',
    { 'composer.json': JSON.stringify({ scripts: { test: ['true'] } }) },
  ],
  [
    'a task of deno, whose file has comments',
    'deno task test',
    { 'deno.jsonc': '{ // tasks\n "tasks": { "test": "deno test", }, }' },
    'deno.jsonc#tasks.test',
    { 'deno.jsonc': '{ "tasks": { "test": "true" } }' },
  ],
  [
    'the runner that is set for cargo',
    'cargo test',
    { '.cargo/config.toml': '[target.x86]\nrunner = "qemu"\n', 'Cargo.toml': '' },
    '.cargo/config.toml#runner',
    { '.cargo/config.toml': '[target.x86]\nrunner = "true"\n' },
  ],
  [
    'a program of a virtual environment',
    'uv run pytest',
    { '.venv/bin/pytest': '#!python' },
    '#run.pytest',
    { '.venv/bin/pytest': '#!/bin/true' },
  ],
])('R6: %s is guarded for "%s"', (_what, check, files, expected, edit) => {
  const { paths, changed, write } = guarded(files, check);
  expect(paths).toContain(expected);
  expect(changed()).toEqual([]);
  for (const [name, text] of Object.entries(edit)) write(name, text);
  expect(changed()).toEqual([expected.replace('#run.', '.venv/bin/')]);
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
    'the build of a package',
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
  [
    'dependencies, other keys and other sections',
    'npm test && pytest && cargo test',
    {
      'package.json': JSON.stringify({ scripts: { test: 'jest' }, jest: {} }),
      'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-q"\n[project]\nname = "x"\n',
      'Cargo.toml': '[package]\nname = "x"\n',
    },
    {
      'package.json': JSON.stringify({ scripts: { test: 'jest', build: 'x' }, jest: {}, devDependencies: { a: '1' } }),
      'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-q"\n[project]\ndependencies = ["a"]\n[tool.ruff]\n',
      'Cargo.toml': '[package]\nname = "x"\n[dependencies]\nserde = "1"\n',
      '.npmrc': 'registry=https://example.org\n',
      'node_modules/a/package.json': '{}',
      'node_modules/.bin/a': '',
      'src/new.test.js': '',
      'package-lock.json': '{}',
    },
  ],
  [
    'a new member of a workspace',
    'npm test --workspaces',
    { 'package.json': JSON.stringify({ workspaces: ['libs/*'] }), 'libs/a/package.json': scripts({ test: 'x' }) },
    { 'libs/b/package.json': scripts({ test: 'x' }) },
  ],
  [
    'a program of the work that a package script runs',
    'npm test',
    {
      'package.json': JSON.stringify({ scripts: { test: 'mine selftest' } }),
      'node_modules/.bin/mine': '@packages/cli.js',
      'packages/cli.js': '#!/bin/sh',
    },
    { 'packages/cli.js': '#!/bin/sh\necho more' },
  ],
  ['a module that is the work', 'python3 -m mine', {}, { 'mine/__init__.py': '', 'mine/__main__.py': '' }],
  ['settings that a check sources', './check.sh', { 'check.sh': '. ./.env\n', '.env': '1' }, { '.env': '2' }],
])('%s may change', (_what, check, files, edit) => {
  const { changed, doubts, write } = guarded(files, check);
  for (const [name, text] of Object.entries(edit)) write(name, text);
  expect(changed()).toEqual([]);
  expect(doubts()).toEqual([]);
});

test('a makefile crafted to be slow to parse is parsed quickly', () => {
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

test('scripts and targets that run each other do not loop for ever', () => {
  const circle = scripts({ test: 'npm run a && make test', a: 'npm run b', b: 'npm run a && npm test' });
  const { paths } = guarded(
    { 'package.json': circle, Makefile: 'test: test-b\n\tnpm test\ntest-b: test\n' },
    'npm test',
  );
  expect(paths).toContain('package.json#scripts.test');
});

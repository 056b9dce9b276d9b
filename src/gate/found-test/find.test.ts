import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findTestCommand } from './find.ts';

type Files = Readonly<Record<string, string>>;

function folderWith(files: Files): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd tests '));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

const manifest = (fields: object) => JSON.stringify({ name: 'x', ...fields });
const unittest = 'import unittest\n';
const script = manifest({ scripts: { test: 'vitest run' } });

test.each<[string, Files, string, string]>([
  ['npm', { 'package.json': script }, 'npm test', 'package.json'],
  ['npm with its lock file', { 'package.json': script, 'package-lock.json': '' }, 'npm test', 'package.json'],
  ['pnpm', { 'package.json': script, 'pnpm-lock.yaml': '' }, 'pnpm test', 'package.json'],
  ['yarn', { 'package.json': script, 'yarn.lock': '' }, 'yarn test', 'package.json'],
  ['bun', { 'package.json': script, 'bun.lock': '' }, 'bun run test', 'package.json'],
  [
    'the named package manager, whatever the lock file',
    { 'package.json': manifest({ scripts: { test: 'x' }, packageManager: 'yarn@4.1.0' }), 'package-lock.json': '' },
    'yarn test',
    'package.json',
  ],
  ['deno', { 'deno.json': '{}', 'a_test.ts': '' }, 'deno test', 'deno.json'],
  ['a task of deno', { 'deno.json': '{"tasks":{"test":"deno test -A"}}' }, 'deno task test', 'deno.json'],
  ['cargo', { 'Cargo.toml': '', 'src/lib.rs': '#[cfg(test)] mod t {}' }, 'cargo test', 'Cargo.toml'],
  ['go', { 'go.mod': 'module x', 'a/b_test.go': '' }, 'go test ./...', 'go.mod'],
  ['pytest.ini', { 'pytest.ini': '', 'tests/test_a.py': '' }, 'pytest', 'pytest.ini'],
  ['pyproject', { 'pyproject.toml': '[tool.pytest.ini_options]\n', 'a_test.py': '' }, 'pytest', 'pyproject.toml'],
  ['tox.ini', { 'tox.ini': '[tox]\n[pytest]\n', 'test_a.py': '' }, 'pytest', 'tox.ini'],
  ['setup.cfg', { 'setup.cfg': '[tool:pytest]\n', 'test_a.py': '' }, 'pytest', 'setup.cfg'],
  ['conftest.py', { 'conftest.py': '', 'test_a.py': '' }, 'pytest', 'conftest.py'],
  ['tests of Python', { 'tests/test_a.py': '' }, 'pytest', 'tests'],
  ['uv', { 'uv.lock': '', 'conftest.py': '', 'test_a.py': '' }, 'uv run pytest', 'conftest.py'],
  ['poetry', { 'poetry.lock': '', 'conftest.py': '', 'test_a.py': '' }, 'poetry run pytest', 'conftest.py'],
  ['a Python environment', { '.venv/bin/pytest': '', 'tests/test_a.py': '' }, '.venv/bin/pytest', 'tests'],
  [
    'a dependency on pytest',
    { 'pyproject.toml': '[dependency-groups]\ndev = ["pytest>=8"]\n', 'a_test.py': '' },
    'pytest',
    'pyproject.toml',
  ],
  ['unittest', { 'tests/test_a.py': unittest }, 'python3 -m unittest discover -s tests', 'tests'],
  [
    'unittest in an environment',
    { 'tests/test_a.py': unittest, '.venv/bin/python': '' },
    '.venv/bin/python -m unittest discover -s tests',
    'tests',
  ],
  [
    'unittest in a package',
    { 'test/__init__.py': '', 'test/test_a.py': unittest },
    'python3 -m unittest discover -s test -t .',
    'test',
  ],
  ['unittest beside the code', { 'a.py': '', 'test_a.py': unittest }, 'python3 -m unittest', 'test_a.py'],
  [
    'unittest under pytest',
    { 'tests/test_a.py': unittest, 'tests/test_b.py': 'import pytest\nimport unittest\n' },
    'pytest',
    'tests',
  ],
  [
    'unittest with pytest at hand',
    { 'tests/test_a.py': unittest, '.venv/bin/pytest': '' },
    '.venv/bin/pytest',
    'tests',
  ],
  ['maven', { 'pom.xml': '', 'src/test/java/A.java': '' }, 'mvn test', 'pom.xml'],
  ['maven with a wrapper', { 'pom.xml': '', mvnw: '', 'core/src/test/java/A.java': '' }, './mvnw test', 'pom.xml'],
  ['gradle', { 'build.gradle': '', 'src/test/java/A.java': '' }, 'gradle test', 'build.gradle'],
  [
    'gradle with a wrapper',
    { 'build.gradle.kts': '', gradlew: '', 'app/src/test/kotlin/A.kt': '' },
    './gradlew test',
    'build.gradle.kts',
  ],
  ['mix', { 'mix.exs': '', 'test/a_test.exs': '' }, 'mix test', 'mix.exs'],
  ['rspec', { Gemfile: '', 'spec/a_spec.rb': '' }, 'bundle exec rspec', 'Gemfile'],
  ['rake', { Rakefile: 'Rake::TestTask.new', 'test/a_test.rb': '' }, 'rake test', 'Rakefile'],
  [
    'rake in a bundle',
    { Gemfile: '', Rakefile: 'task :test do', 'test/a_test.rb': '' },
    'bundle exec rake test',
    'Rakefile',
  ],
  ['composer', { 'composer.json': manifest({ scripts: { test: ['x', 'y'] } }) }, 'composer test', 'composer.json'],
  ['phpunit', { 'phpunit.xml.dist': '', 'tests/ATest.php': '' }, 'phpunit', 'phpunit.xml.dist'],
  [
    'phpunit of the project',
    { 'phpunit.xml': '', 'vendor/bin/phpunit': '', 'tests/ATest.php': '' },
    'vendor/bin/phpunit',
    'phpunit.xml',
  ],
  [
    'dotnet',
    { 'a.sln': '', 't/t.csproj': '<PackageReference Include="Microsoft.NET.Test.Sdk"/>' },
    'dotnet test',
    'a.sln',
  ],
  ['swift', { 'Package.swift': '', 'Tests/a/A.swift': '' }, 'swift test', 'Package.swift'],
  [
    'ctest',
    { 'CMakeLists.txt': '', 'build/CTestTestfile.cmake': '' },
    'ctest --test-dir build --output-on-failure',
    'build/CTestTestfile.cmake',
  ],
  ['just', { justfile: 'build:\n  x\ntest *args:\n  y\n' }, 'just test', 'justfile'],
  ['make', { Makefile: 'all: test\n.PHONY: test\ntest: build\n\ttrue\n' }, 'make test', 'Makefile'],
  ['make beside its tests', { Makefile: '.PHONY: all test\ntest:\n\ttrue\n', 'test/a.c': '' }, 'make test', 'Makefile'],
  [
    'a script that watches unless CI is set',
    { 'package.json': manifest({ scripts: { test: 'react-scripts test' } }) },
    'CI=true npm test',
    'package.json',
  ],
  [
    'a script with watching turned off',
    { 'package.json': manifest({ scripts: { test: 'jest --watch=false --watchAll=false' } }) },
    'npm test',
    'package.json',
  ],
  [
    'task',
    { 'Taskfile.yml': 'version: 3\ntasks:\n  build:\n    x\n  test:\n    cmds: []\n' },
    'task test',
    'Taskfile.yml',
  ],
])('A157: the test command of %s is found', (_what, files, command, from) => {
  expect(findTestCommand(folderWith(files))).toMatchObject({ command, from, hasTests: true });
});

test.each<[string, Files]>([
  ['an empty folder', {}],
  [
    "npm's own placeholder",
    { 'package.json': manifest({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) },
  ],
  ['a package without scripts', { 'package.json': manifest({}) }],
  ['a manifest that is not JSON', { 'package.json': '{' }],
  ['scripts that are not strings', { 'package.json': manifest({ scripts: { test: 7 } }) }],
  ['a test script that never ends', { 'package.json': manifest({ scripts: { test: 'jest --watch' } }) }],
  ['a makefile whose target "test" is a folder', { Makefile: 'test:\n\ttrue\n', 'test/a.c': '' }],
  ['a makefile without the target', { Makefile: 'tests:\n\ttrue\nVERSION := test\ntest := 1\n' }],
  ['a justfile without the recipe', { justfile: 'testing:\n  x\ntest := "a"\n' }],
  ['a Taskfile without the task', { 'Taskfile.yml': 'tasks:\n  testing:\n    x\n' }],
  ['CMake without a configured build', { 'CMakeLists.txt': '' }],
  ['two solutions', { 'a.sln': '', 'b.sln': '' }],
  ['a Python project without any sign of pytest', { 'pyproject.toml': '[project]\n', 'a.py': '' }],
  ['a Python project that only has a linter', { 'pyproject.toml': '[tool.ruff]\nline-length = 100\n', 'a.py': '' }],
  ['a Rakefile without tests', { Rakefile: 'task :build do\nend\n' }],
])('%s has none', (_what, files) => {
  expect(findTestCommand(folderWith(files))).toBeUndefined();
});

test.each<[string, Files]>([
  ['cargo', { 'Cargo.toml': '', 'src/main.rs': 'fn main() {}' }],
  ['go', { 'go.mod': 'module x', 'main.go': '', 'vendor/x/a_test.go': '' }],
  ['maven', { 'pom.xml': '' }],
  ['deno', { 'deno.json': '{}', 'main.ts': '', 'node_modules/x/a_test.ts': '' }],
])('a project of %s without tests is recognised as such', (_what, files) => {
  expect(findTestCommand(folderWith(files))).toMatchObject({ hasTests: false });
});

test('a command that begins with a variable names its program', () => {
  const folder = folderWith({ 'package.json': manifest({ scripts: { test: 'react-scripts test' } }) });
  expect(findTestCommand(folder)).toMatchObject({ program: 'npm' });
});

test('the first kind in the order wins, and kinds without a test command are skipped', () => {
  expect(findTestCommand(folderWith({ 'package.json': script, Makefile: 'test:\n' }))?.command).toBe('npm test');
  expect(findTestCommand(folderWith({ 'package.json': '{}', Makefile: 'test:\n' }))?.command).toBe('make test');
});

test('a package of a workspace is tested by the manager whose lock file is at the root of the repository', () => {
  const root = folderWith({ '.git/HEAD': '', 'pnpm-lock.yaml': '', 'packages/a/package.json': script });
  expect(findTestCommand(path.join(root, 'packages/a'))?.command).toBe('pnpm test');
  const loose = folderWith({ 'pnpm-lock.yaml': '', 'packages/a/package.json': script });
  expect(findTestCommand(path.join(loose, 'packages/a'))?.command).toBe('npm test');
});

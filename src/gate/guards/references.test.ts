import { expect, test } from 'vitest';
import { type Files, guarded, scripts } from '../testing/guarded.ts';

const rules = "import { sum } from '../src/sum.mjs';\nexport const holds = () => sum(2, 2) === 4;\n";
const work = { 'src/sum.mjs': 'export const sum = (a, b) => a * b;\n' };

test.each<[string, string, Files, string]>([
  [
    'the module that a check imports',
    'node ci/accept.mjs',
    {
      'ci/accept.mjs': "import { holds } from './rules.mjs';\nprocess.exit(holds() ? 0 : 1);\n",
      'ci/rules.mjs': rules,
    },
    'ci/rules.mjs',
  ],
  [
    'a module that an imported module imports',
    'node ci/accept.mjs',
    { 'ci/accept.mjs': "await import('./a.mjs');\n", 'ci/a.mjs': "export * from './b/c.mjs';\n", 'ci/b/c.mjs': '1' },
    'ci/b/c.mjs',
  ],
  [
    'a module that is required without its extension',
    'npm test',
    {
      'package.json': scripts({ test: 'node ci/check.cjs' }),
      'ci/check.cjs': "require('./rules')();\n",
      'ci/rules.js': 'module.exports = () => {};\n',
    },
    'ci/rules.js',
  ],
  [
    'a module that a shell program runs',
    './ci/accept.sh',
    {
      'ci/accept.sh': '#!/bin/sh\nexec node ci/accept.mjs\n',
      'ci/accept.mjs': "import './rules.mjs';\n",
      'ci/rules.mjs': rules,
    },
    'ci/rules.mjs',
  ],
  [
    'a program beside a shell program',
    'sh ci/accept.sh',
    { 'ci/accept.sh': 'here=$(cd "$(dirname "$0")" && pwd)\nnode "$here"/steps/one.mjs\n', 'ci/steps/one.mjs': '1' },
    'ci/steps/one.mjs',
  ],
  [
    'the data that a module reads',
    'node ci/accept.mjs',
    {
      'ci/accept.mjs': "const cases = JSON.parse(readFileSync(new URL('expected.json', import.meta.url)));\n",
      'ci/expected.json': '[]',
    },
    'ci/expected.json',
  ],
  [
    'the data that a shell program compares with',
    './ci/check.sh',
    { 'ci/check.sh': '#!/bin/sh\n./program | diff - ci/expected.txt\n', 'ci/expected.txt': '4\n' },
    'ci/expected.txt',
  ],
  [
    'the module that a Python check imports',
    'python3 ci/check.py',
    { 'ci/check.py': 'import os, sys\nfrom calc import total\nfrom rules import holds\n', 'ci/rules.py': '1' },
    'ci/rules.py',
  ],
  [
    'a module of a Python package beside the check',
    'python3 ci/verify.py',
    {
      'ci/verify.py': 'from helpers import rules\n',
      'ci/helpers/__init__.py': '',
      'ci/helpers/rules.py': 'from . import more\n',
      'ci/helpers/more.py': '1',
    },
    'ci/helpers/more.py',
  ],
  [
    'the data that a Python check opens',
    'python3 ci/check.py',
    { 'ci/check.py': "wanted = open('ci/expected.txt').read()\n", 'ci/expected.txt': '4\n' },
    'ci/expected.txt',
  ],
  [
    'the file that a Ruby check requires',
    'ruby ci/check.rb',
    { 'ci/check.rb': "require_relative 'rules'\n", 'ci/rules.rb': '1' },
    'ci/rules.rb',
  ],
])('R6: %s is part of the check', (_what, check, files, helper) => {
  const project = guarded({ ...work, ...files }, check);
  project.write('src/sum.mjs', 'export const sum = (a, b) => a + b;\n');
  expect(project.changed()).toEqual([]);
  project.write(helper, 'export const holds = () => true;\n');
  expect(project.changed()).toEqual([helper]);
});

test.each<[string, string, Files, string]>([
  [
    'the work that a check imports',
    'node ci/accept.mjs',
    { 'ci/accept.mjs': "import { sum } from '../src/sum.mjs';\n" },
    'src/sum.mjs',
  ],
  ['the work at the top', 'node check.mjs', { 'check.mjs': "import './calc.mjs';\n", 'calc.mjs': '1' }, 'calc.mjs'],
  [
    'the work in lib',
    'node lib/check.mjs',
    { 'lib/check.mjs': "import './calc.mjs';\n", 'lib/calc.mjs': '1' },
    'lib/calc.mjs',
  ],
  [
    'a module of the work that has the name of a tool',
    'node ci/accept.mjs',
    { 'ci/accept.mjs': "import '../src/tools/calc.mjs';\n", 'src/tools/calc.mjs': '1' },
    'src/tools/calc.mjs',
  ],
  [
    'a package of the work, wherever it lies',
    'python3 ci/check.py',
    { 'ci/check.py': 'from calc.core import total\n', 'calc/__init__.py': '', 'calc/core.py': '1' },
    'calc/core.py',
  ],
  [
    'what a check writes',
    'node ci/accept.mjs',
    { 'ci/accept.mjs': "writeFileSync('ci/report.json', '{}');\n", 'ci/report.json': '1' },
    'ci/report.json',
  ],
  [
    'what a shell program makes',
    'sh ci/check.sh',
    { 'ci/check.sh': 'rm -f ci/out.txt\n./program > ci/out.txt\n', 'ci/out.txt': '1' },
    'ci/out.txt',
  ],
  [
    'a file in the folder of the check that it never names',
    'node ci/accept.mjs',
    { 'ci/accept.mjs': "import './rules.mjs';\n", 'ci/rules.mjs': '1', 'ci/notes.mjs': '1' },
    'ci/notes.mjs',
  ],
  [
    'a test that a check takes in, which is protected as a test',
    'node ci/accept.mjs',
    { 'ci/accept.mjs': "import '../test/sum.test.mjs';\n", 'test/sum.test.mjs': '1' },
    'test/sum.test.mjs',
  ],
])('%s may change', (_what, check, files, file) => {
  const project = guarded({ ...work, ...files }, check);
  project.write(file, 'export const other = true;\n');
  expect(project.changed()).toEqual([]);
  expect(project.doubts()).toEqual([]);
});

test('a file beside a check in a folder of any name is reported and refuses nothing: it may be the work', () => {
  const files = { 'calc/selftest.py': 'from core import total\n', 'calc/core.py': '1' };
  const project = guarded(files, 'python3 calc/selftest.py');
  project.write('calc/core.py', '2');
  expect(project.changed()).toEqual([]);
  expect(project.doubts()).toEqual(['calc/core.py']);
});

test('cyclic imports and very many imports do not loop for ever', () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`ci/m${index}.mjs`, `import './m${(index + 1) % 300}.mjs';\n`]),
  );
  const project = guarded(
    { 'ci/accept.mjs': "import './m0.mjs';\nimport './accept.mjs';\n", ...many },
    'node ci/accept.mjs',
  );
  expect(project.paths.filter((name) => name.startsWith('ci/m'))).toHaveLength(200);
});

test('R6: a test helper outside the test folders is reported when it changes, and the work never is', () => {
  const files = {
    'package.json': scripts({ test: 'node --test' }),
    'support/expect-sum.js': '1',
    'calc/sum.js': '1',
    'src/support/sum.js': '1',
    'test/sum.test.js':
      "import '../support/expect-sum.js';\nimport '../calc/sum.js';\nimport '../src/support/sum.js';\n",
  };
  const project = guarded(files, 'npm test');
  project.write('calc/sum.js', '2');
  project.write('src/support/sum.js', '2');
  expect(project.doubts()).toEqual([]);
  project.write('support/expect-sum.js', '2');
  expect(project.changed()).toEqual([]);
  expect(project.doubts()).toEqual(['support/expect-sum.js']);
});

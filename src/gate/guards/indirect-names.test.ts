import { expect, test } from 'vitest';
import { type Files, guarded, scripts } from '../testing/guarded.ts';
import { matchingFiles } from './matching-files.ts';

const check = { 'ci/accept.sh': '#!/bin/sh\nexit 1\n', 'src/a.sh': 'exit 1\n', 'src/a.mjs': '1', 'src/b.py': '1' };

test.each<[string, string, Files, string]>([
  ['a variable of the line', 'C=ci/accept.sh; sh "$C"', {}, 'ci/accept.sh'],
  ['a variable in braces', 'C=./ci; "${C}/accept.sh"', {}, 'ci/accept.sh'],
  ['a variable with a program and its file', "C='sh ci/accept.sh'; $C", {}, 'ci/accept.sh'],
  ['a variable of another variable', 'D=ci; export C=$D/accept.sh; exec "$C"', {}, 'ci/accept.sh'],
  ['a variable of a nested shell', "C=./ci/accept.sh sh -c '$C'", {}, 'ci/accept.sh'],
  ['a variable that branches assign', 'if test -d x; then C=x; else C=ci/accept.sh; fi; sh $C', {}, 'ci/accept.sh'],
  ['a variable with a default value', 'sh "${NONE:-ci/accept.sh}"', {}, 'ci/accept.sh'],
  ['a variable of the environment', 'sh "$ACCEPT"', {}, 'ci/accept.sh'],
  ['the folder of the line', '"$PWD/ci/accept.sh"', {}, 'ci/accept.sh'],
  ['a makefile', 'R=build/rules.mk; make -f "$R" accept', { 'build/rules.mk': 'accept:\n\tfalse\n' }, 'build/rules.mk'],
  ['a loop over a pattern', 'for f in ci/*.sh; do sh "$f" || exit 1; done', {}, 'ci/accept.sh'],
  ['a loop over names', 'for f in one accept; do sh ci/$f.sh || exit 1; done', {}, 'ci/accept.sh'],
  ['a loop over what find prints', "for f in $(find ci -name '*.sh'); do sh $f || exit 1; done", {}, 'ci/accept.sh'],
  ['find -exec +', "find ci -name '*.sh' -exec sh {} +", {}, 'ci/accept.sh'],
  ['find -exec ;', "find . -name 'acc*.sh' -exec sh {} \\;", {}, 'ci/accept.sh'],
  ['find -exec of the files themselves', "find ci -name '*.sh' -exec {} \\;", {}, 'ci/accept.sh'],
  ['find -exec with a check', 'find src -type f -exec sh ci/accept.sh {} +', {}, 'ci/accept.sh'],
  ['xargs', "find ci -name '*.sh' | sort | xargs -n 1 sh", {}, 'ci/accept.sh'],
  ['xargs of ls', 'ls ci/*.sh | xargs -I {} sh {}', {}, 'ci/accept.sh'],
  ['a package script', 'npm test', { 'package.json': scripts({ test: 'C=ci/accept.sh; sh $C' }) }, 'ci/accept.sh'],
])('R6: a check named by %s is guarded', (_what, line, files, file) => {
  const project = guarded({ ...check, ...files }, line, { ACCEPT: 'ci/accept.sh' });
  for (const name of ['src/a.sh', 'src/a.mjs', 'src/b.py']) project.write(name, '2');
  expect(project.changed()).toEqual([]);
  project.write(file, 'exit 0\n');
  expect(project.changed()).toEqual([file]);
});

test.each<[string, string, string]>([
  ['sources that a loop only reads', 'for f in src/*.mjs; do node --check "$f" || exit 1; done', 'src/a.mjs'],
  ['sources that find hands to a linter', "find src -name '*.mjs' -exec node ci/lint.mjs {} +", 'src/a.mjs'],
  ['sources that xargs hands to a linter', "find src -name '*.py' | xargs python3 ci/lint.py", 'src/b.py'],
  ['programs whose syntax is checked', 'for f in ci/*.sh; do bash -n "$f" || exit 1; done', 'ci/accept.sh'],
  ['one program whose syntax is checked', 'node --check src/a.mjs', 'src/a.mjs'],
  ['sources that a loop runs', 'for f in src/*.sh; do sh "$f" || exit 1; done', 'src/a.sh'],
  ['files that are only listed', "find ci -name '*.sh' | xargs grep -q exit", 'ci/accept.sh'],
  ['tests that a loop runs', 'for f in test/*.sh; do sh "$f" || exit 1; done', 'test/one.sh'],
])('%s may change', (_what, line, file) => {
  const files = { ...check, 'ci/lint.mjs': '1', 'ci/lint.py': '1', 'test/one.sh': '1' };
  const project = guarded(files, line);
  project.write(file, 'exit 0\n');
  expect(project.changed()).toEqual([]);
});

test('R6: a program in a folder that the line itself puts on the PATH cannot shadow another one unnoticed', () => {
  const files = { 'package.json': scripts({ test: 'node --test' }), 'tools/README': 'Tools.\n' };
  const project = guarded(files, 'PATH="$PWD/tools:$PATH" npm test');
  project.write('tools/README', 'More tools.\n');
  expect(project.changed()).toEqual([]);
  project.write('tools/node', '#!/bin/sh\nexit 0\n');
  expect(project.changed()).toEqual(['tools/node']);
});

test('a pattern that matches very many files is limited', () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`ci/step${index}.sh`, 'exit 1\n']));
  const { folder } = guarded(many, 'true');
  expect(matchingFiles(folder, 'ci/*.sh')).toHaveLength(200);
  expect(matchingFiles(folder, '**/step1?.sh')).toHaveLength(10);
  expect(matchingFiles(folder, `ci/${'*s'.repeat(50)}`)).toEqual([]);
});

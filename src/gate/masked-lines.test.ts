import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findMaskedLines } from './masked-lines.ts';

type Files = Readonly<Record<string, string>>;

const scripts = (texts: Files, more: object = {}) => JSON.stringify({ ...more, scripts: texts });

/** The masked lines of a check: their places and corrections. */
function maskedIn(files: Files, check: string): readonly (readonly [string, string])[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd masked '));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return findMaskedLines([check], folder).map(({ from, corrected }) => [from, corrected]);
}

test.each<[string, string, Files, readonly (readonly [string, string])[]]>([
  [
    'a package script',
    'npm test',
    { 'package.json': scripts({ test: 'jest || true' }) },
    [['package.json#scripts.test', 'jest']],
  ],
  [
    'a script that a script runs',
    'npm test',
    { 'package.json': scripts({ test: 'npm run unit', unit: 'jest; echo done' }) },
    [['package.json#scripts.unit', 'jest && echo done']],
  ],
  [
    'a script before the script',
    'npm test',
    { 'package.json': scripts({ pretest: 'eslint . || true', test: 'jest' }) },
    [['package.json#scripts.pretest', 'eslint .']],
  ],
  [
    'a script after the script',
    'npm test',
    { 'package.json': scripts({ test: 'jest', posttest: 'vitest run; true' }) },
    [['package.json#scripts.posttest', 'vitest run']],
  ],
  [
    'a pipe, which only pipefail makes right',
    'npm test',
    { 'package.json': scripts({ test: 'jest | tee log' }) },
    [['package.json#scripts.test', "bash -o pipefail -c 'jest | tee log'"]],
  ],
  [
    'the scripts of a workspace',
    'npm test --workspaces',
    {
      'package.json': scripts({}, { workspaces: ['packages/*'] }),
      'packages/a/package.json': scripts({ test: 'jest || true' }, { name: 'a' }),
      'packages/b/package.json': scripts({ test: 'jest' }, { name: 'b' }),
    },
    [['packages/a/package.json#scripts.test', 'jest']],
  ],
  ['a recipe of make', 'make test', { Makefile: 'test:\n\tpytest || true\n' }, [['Makefile#test', 'pytest']]],
  [
    'a recipe whose failure make ignores',
    'make test',
    { Makefile: 'test:\n\t-pytest\n' },
    [['Makefile#test', 'pytest']],
  ],
  [
    'a silent recipe whose failure is ignored',
    'make test',
    { Makefile: 'test:\n\t@-pytest\n' },
    [['Makefile#test', 'pytest']],
  ],
  [
    'a recipe of just',
    'just test',
    { justfile: 'test:\n    pytest; echo done\n' },
    [['justfile#test', 'pytest && echo done']],
  ],
])('R6: %s that hides the exit code of its test is found', (_what, check, files, masked) => {
  expect(maskedIn(files, check)).toEqual(masked);
});

test.each<[string, string, Files]>([
  ['an honest script', 'npm test', { 'package.json': scripts({ test: 'tsc && jest' }) }],
  ['a build', 'npm test', { 'package.json': scripts({ test: 'npm run build && jest', build: 'tsc || true' }) }],
  ['a script that no check runs', 'npm test', { 'package.json': scripts({ test: 'jest', lint: 'eslint . || true' }) }],
  ['an honest recipe', 'make test', { Makefile: 'RUN := a || true\ntest: build\n\t@pytest -q\nbuild:\n\t-rm -f x\n' }],
  [
    'what is cleaned up before',
    'npm test',
    { 'package.json': scripts({ pretest: 'rm -rf tmp || true; ./up || true', test: 'jest' }) },
  ],
  ['a check without a script', 'npm test', {}],
])('%s is not reported', (_what, check, files) => {
  expect(maskedIn(files, check)).toEqual([]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CheckCommand } from '../../protocol/index.ts';
import { nestedScripts, parseCheckCommand } from './parse-check.ts';

const namesOf = (check: CheckCommand) =>
  parseCheckCommand(check).files.flatMap(({ folder, names }) => names.map((name) => `${folder}|${name}`));

test.each<[CheckCommand, readonly string[]]>([
  ['./check.sh', ['|./check.sh']],
  ['! ./check.sh', ['|./check.sh']],
  ['timeout 60 ./check.sh', ['|./check.sh']],
  ['python3 scripts/verify.py --config=check.json', ['|scripts/verify.py', '|check.json']],
  ['sh -c "./a b.sh"', ['|./a', '|b.sh']],
  ["bash -ec './check.sh --all'", ['|./check.sh']],
  ["node 'my check.js' && ./other.sh", ['|my check.js', '|./other.sh']],
  ['node my\\ check.js', ['|my check.js']],
  ['cd sub && ./check.sh; cd deeper && ./more.sh', ['sub|./check.sh', 'sub/deeper|./more.sh']],
  ['(./check.sh)', ['|./check.sh']],
  ['./check.sh < input.txt', ['|./check.sh', '|input.txt']],
  ['if [ -f README.md ]; then ./check.sh; fi', ['|./check.sh']],
  [
    ['sh', 'my check.sh', 'a;b'],
    ['|my check.sh', '|a;b'],
  ],
])('%j names files that may decide its result', (check, names) => {
  expect(namesOf(check)).toEqual(expect.arrayContaining([...names]));
});

test.each([
  './check.sh > README.md',
  './check.sh >>README.md',
  './check.sh 2> README.md',
  './check.sh &> README.md',
  './check.sh && grep -q feature README.md',
  './check.sh && test -s README.md',
  './check.sh; [ -s README.md ]',
  './check.sh; ! diff README.md other',
])('files that %s only reads or writes are not part of the gate', (check) => {
  expect(namesOf(check)).toContain('|./check.sh');
  expect(namesOf(check)).not.toContain('|README.md');
});

test('arguments after the script of an interpreter are its data, unless it runs tests', () => {
  expect(parseCheckCommand('python verify.py README.md').files).toMatchObject([{ onlyFirst: true }]);
  expect(parseCheckCommand('node --test a.test.mjs b.test.mjs').files).toMatchObject([{ onlyFirst: false }]);
  expect(parseCheckCommand('python -m pytest test_a.py').files).toMatchObject([{ onlyFirst: false }]);
  expect(parseCheckCommand('./check.sh cases.json').files).toMatchObject([{ onlyFirst: false }]);
});

test.each<[string, string]>([
  ['npm test', 'test'],
  ['npm t', 'test'],
  ['npm run lint', 'lint'],
  ['pnpm run -s lint -- --fix', 'lint'],
  ['yarn build', 'build'],
  ['CI=1 bun run test', 'test'],
  ['npm --silent run-script check', 'check'],
])('%s runs a script of the package', (check, name) => {
  expect(parseCheckCommand(check).scripts).toEqual([{ folder: '', name }]);
});

test.each([
  'npm --prefix web test',
  'npm test --prefix=web',
  'pnpm -C web run test',
  'yarn --cwd web test',
  'npm -w web t',
])('%s runs a script of another package', (check) => {
  expect(parseCheckCommand(check).scripts).toEqual([{ folder: 'web', name: 'test' }]);
});

test.each<[string, readonly object[]]>([
  ['make test', [{ folder: '', program: 'make', name: 'test' }]],
  ['make -j 4 -s test V=1', [{ folder: '', program: 'make', name: 'test' }]],
  ['cd a && gmake -C b lint test', ['lint', 'test'].map((name) => ({ folder: 'a/b', program: 'make', name }))],
  ['just test unit', [{ folder: '', program: 'just', name: 'test' }]],
  ['sh -c "make check"', [{ folder: '', program: 'make', name: 'check' }]],
  ['make', []],
  ['npm test', []],
])('%s makes targets', (check, targets) => {
  expect(parseCheckCommand(check).targets).toEqual(targets);
});

test('the scripts that a script runs in its own package are found', () => {
  expect(nestedScripts('npm run build && npm run unit; vitest')).toEqual(['build', 'unit']);
  expect(nestedScripts('cd web && npm run unit')).toEqual([]);
  expect(parseCheckCommand('cd web && npm test').scripts).toEqual([{ folder: 'web', name: 'test' }]);
});

test('any line is parsed, and never gives more words than it has characters', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 1 })), (check) => {
      const length = typeof check === 'string' ? check.length : check.length + check.join('').length;
      expect(namesOf(check).length).toBeLessThanOrEqual(2 * length);
    }),
  );
});

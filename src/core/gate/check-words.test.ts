import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CheckCommand } from '../../protocol/index.ts';
import { gateWords, scriptsIn } from './check-words.ts';

const namesOf = (check: CheckCommand) =>
  gateWords(check).files.flatMap(({ folder, names }) => names.map((name) => `${folder}|${name}`));

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
])('the words of %j may be files that decide', (check, names) => {
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
])('what %s only looks at or writes to is not a part of the gate', (check) => {
  expect(namesOf(check)).toContain('|./check.sh');
  expect(namesOf(check)).not.toContain('|README.md');
});

test('what an interpreter is given behind its program is what that works on, unless it runs tests', () => {
  expect(gateWords('python verify.py README.md').files).toMatchObject([{ onlyFirst: true }]);
  expect(gateWords('node --test a.test.mjs b.test.mjs').files).toMatchObject([{ onlyFirst: false }]);
  expect(gateWords('python -m pytest test_a.py').files).toMatchObject([{ onlyFirst: false }]);
  expect(gateWords('./check.sh cases.json').files).toMatchObject([{ onlyFirst: false }]);
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
  expect(gateWords(check).scripts).toEqual([{ folder: '', name }]);
});

test.each([
  'npm --prefix web test',
  'npm test --prefix=web',
  'pnpm -C web run test',
  'yarn --cwd web test',
  'npm -w web t',
])('%s runs a script of a package elsewhere', (check) => {
  expect(gateWords(check).scripts).toEqual([{ folder: 'web', name: 'test' }]);
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
  expect(gateWords(check).targets).toEqual(targets);
});

test('scripts that a script runs are found, also in another folder', () => {
  expect(scriptsIn('npm run build && npm run unit; vitest')).toEqual(['build', 'unit']);
  expect(scriptsIn('cd web && npm run unit')).toEqual([]);
  expect(gateWords('cd web && npm test').scripts).toEqual([{ folder: 'web', name: 'test' }]);
});

test('whatever the line, its words are read, and there are never more of them than it has characters', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 1 })), (check) => {
      const length = typeof check === 'string' ? check.length : check.length + check.join('').length;
      expect(namesOf(check).length).toBeLessThanOrEqual(2 * length);
    }),
  );
});

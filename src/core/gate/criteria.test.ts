import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCriterion } from './criteria.ts';

const programs = new Set(['npm', 'cargo', 'make', 'pytest', 'go', 'grep', 'sh', 'node', 'cat']);
const context = { isProgram: (word: string) => programs.has(word), testCommand: 'npm test' };

test.each<[string, readonly string[]]>([
  ['npm test passes', ['npm test']],
  ['npm test passes.', ['npm test']],
  ['`cargo test` succeeds', ['cargo test']],
  ['`cargo test`', ['cargo test']],
  ['the command `make check` exits 0', ['make check']],
  ['npm test passes and npm run lint exits 0', ['npm test', 'npm run lint']],
  ['npm test, npm run lint and npm run build pass', ['npm test', 'npm run lint', 'npm run build']],
  ['pytest exits with code 0', ['pytest']],
  ['make check returns zero', ['make check']],
  ['go test ./... must pass', ['go test ./...']],
  ['./check.sh is green', ['./check.sh']],
  ['npm run build && npm test passes', ['npm run build && npm test']],
  ['npm run lint completes without errors', ['npm run lint']],
  ['all tests pass', ['npm test']],
  ['All tests pass!', ['npm test']],
  ['the test suite passes', ['npm test']],
  ['tests are green', ['npm test']],
  ['all of the existing unit tests should pass', ['npm test']],
])('A149, B112: "%s" is read as the commands it names', (text, commands) => {
  expect(readCriterion(text, context)).toEqual({ kind: 'phrase', commands });
});

test.each([
  'coverage above 80%',
  'the code is clean',
  'no lint errors',
  'lint passes',
  'npm test passes and the documents pass',
  'make all and check pass',
  'if the tests pass, it is done',
  'for every input the output is sorted',
  'for every file we touched, we are done',
  'while it is not done',
  'case closed',
  'function calls are fast',
  'Done when the user is happy',
  '80% coverage',
  '',
])('A149, B112: "%s" is not a command', (text) => {
  expect(readCriterion(text, context)).toEqual({ kind: 'prose', reason: 'no_command' });
});

test('B112: a sentence about tests is refused where no test command is known', () => {
  const without = { isProgram: context.isProgram };
  expect(readCriterion('all tests pass', without)).toEqual({ kind: 'prose', reason: 'no_test_command' });
});

test.each([
  'npm test',
  '  npm test  ',
  'test -f done',
  '[ -f done ]',
  '! grep -r TODO src',
  '( cd sub && make )',
  '{ make; npm test; }',
  'CI=1 npm test',
  '$CHECK --all',
  '"my program" --all',
  './missing.sh',
  '/opt/check',
  '~/check',
  'if [ -f done ]; then true; else false; fi',
  'for f in *.json; do node "$f"; done',
  'while read -r f; do node "$f"; done < list',
  'case "$CI" in true) npm test ;; *) false ;; esac',
  'check() { npm test; }; check',
  'time npm test',
  '`which npm` test',
  'grep -q pass',
  'echo done | grep -q passes',
  'test "$(cat state)" = passes',
  'cat log | grep succeeds',
  'npm test > log; grep -q "all tests pass" log',
  'sh -c "true passes"',
])('the shell line %s is used unchanged', (line) => {
  expect(readCriterion(line, context)).toEqual({ kind: 'command' });
});

test('a line that begins with a program, a builtin or a path and does not end like "passes" is used unchanged', () => {
  const first = fc.constantFrom('npm', 'cargo', 'test', 'cd', './check.sh', 'scripts/verify.py', 'true', 'exit');
  const word = fc
    .stringMatching(/^[-\w./=%:@+]{1,12}$/)
    .filter((text) => !/^(pass|succe|zero|0|clean|green)/i.test(text));
  const operator = fc.constantFrom(' ', ' && ', ' || ', '; ', ' | ', ' > ', ' "', " '");
  fc.assert(
    fc.property(first, fc.array(fc.tuple(operator, word), { maxLength: 6 }), (program, rest) => {
      const line = program + rest.map(([between, text]) => `${between}${text}`).join('');
      fc.pre(!/(passing|successful|successfully|cleanly|errors?)$/i.test(line));
      expect(readCriterion(line, context)).toEqual({ kind: 'command' });
    }),
  );
});

test('any text is read in bounded time, and a phrase only gives commands that begin like one', () => {
  const words = fc.constantFrom(
    'npm',
    'test',
    'passes',
    'and',
    ',',
    'the',
    '`',
    'exits',
    '0',
    'all',
    'tests',
    '&&',
    '',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
      const read = readCriterion(parts.join(' '), context);
      if (read.kind !== 'phrase') return;
      for (const command of read.commands) expect(command).toMatch(/^(npm|test|&&)?\S/);
      expect(read.commands.every((command) => /^(npm|test)\b/.test(command))).toBe(true);
    }),
  );
});

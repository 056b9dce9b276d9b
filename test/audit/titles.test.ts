import { expect, test } from 'vitest';
import { titlesIn } from '../../tools/requirements/titles.ts';

const numbersIn = (source: string) => titlesIn('x.test.ts', source).tests.map(({ numbers }) => numbers.join(' '));

// The number is put in here: this file itself must not look as if it proved anything.
const title = (number: string) => `${number}: it works`;

test.each([
  ['a plain test', `test('${title('A001')}', () => {})`, ['A001']],
  ['a table over several lines', `test.each([\n  [1],\n])('${title('A001')} with %s', () => {})`, ['A001']],
  ['a tagged table', `it.each\`a\n\${1}\`('${title('A001')} $a', () => {})`, ['A001']],
  ['a title in a template', `test(\`${title('A001')} on \${system}\`, () => {})`, ['A001']],
  ['conditions before the title', `test.skipIf(x).concurrent('${title('A001')}', () => {})`, ['A001']],
  ['several numbers and a range', `test('${title('A001, A003-A005 R2')}', () => {})`, ['A001 A003 A004 A005 R2']],
  ['a group', `describe('${title('A001')}', () => { test('one'); test('${title('A002')}') })`, ['A001', 'A001 A002']],
  ['a test under another name', `linuxTest('${title('A001')}', () => {})`, ['A001']],
  ['a test without a number', `test('it works', () => {})`, []],
])('numbers are found in %s', (_case, source, numbers) => {
  expect(numbersIn(source)).toEqual(numbers);
});

test('a text that begins with a number and titles nothing is reported', () => {
  const { tests, strays } = titlesIn('x.test.ts', `const titles = ['${title('A001')}'];`);
  expect(tests).toEqual([]);
  expect(strays).toEqual([title('A001')]);
});

test('the runner selects a test by its title up to the first value that is filled in', () => {
  const source = `describe('group', () => test.each(rows)('${title('A001')} for %s', () => {}))`;
  expect(titlesIn('x.test.ts', source).tests[0]?.prefix).toBe(`group ${title('A001')} for `);
});

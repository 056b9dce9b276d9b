import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf } from '../../base/index.ts';
import { fitLines } from './fit-lines.ts';

test('a line that is too long continues below its text, after its label', () => {
  const lines = [
    '  agent    exited with code 0 after 0.1s, 3 files changed',
    '           | error: expected hello, got undefined',
    '  tampered check.sh was changed by somebody',
    '✓ completed and verified (proof: tree), 2 iterations in 0.1s',
  ];
  expect(fitLines(lines, 40)).toEqual([
    '  agent    exited with code 0 after',
    '           0.1s, 3 files changed',
    '           | error: expected hello, got',
    '             undefined',
    '  tampered check.sh was changed by',
    '           somebody',
    '✓ completed and verified (proof: tree),',
    '  2 iterations in 0.1s',
  ]);
  expect(fitLines(lines, 80)).toEqual(lines);
});

test('a path or a command is never broken, and gets a line of its own where it does not fit', () => {
  const lines = [
    '  state   .ralph/loops/ralph-greet-a1b2c3d4',
    '  pause   ralphd pause ralph-tests-e5f6a7b8',
    '  1 iteration; nothing was lost. Resume: ralphd resume ralph-tests-e5f6a7b8',
  ];
  expect(fitLines(lines, 40)).toEqual([
    '  state',
    '    .ralph/loops/ralph-greet-a1b2c3d4',
    '  pause',
    '    ralphd pause ralph-tests-e5f6a7b8',
    '  1 iteration; nothing was lost. Resume:',
    '  ralphd resume ralph-tests-e5f6a7b8',
  ]);
});

test('a sentence that begins with the name of the program is no command', () => {
  expect(fitLines(['ralphd drives a coding agent in a loop until it is done.'], 40)).toEqual([
    'ralphd drives a coding agent in a loop',
    '  until it is done.',
  ]);
});

test('colours take no room and are kept', () => {
  const [first = '', second = ''] = fitLines([`  \u001b[2mtask   \u001b[22m one two three four`], 20);
  expect([first, second]).toEqual(['  \u001b[2mtask   \u001b[22m one two', '          three four']);
});

test('a line that begins with a colour keeps its indentation', () => {
  const lines = fitLines(['\u001b[33m  check this: one two three four\u001b[39m'], 24);
  expect(lines).toEqual(['\u001b[33m  check this: one two', '  three four\u001b[39m']);
});

test('no word is lost, and no line is too wide unless it is one word', () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/u);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 40, max: 100 }), (all, width) => {
      const fitted = fitLines([`  label    ${all.join(' ')}`], width);
      expect(fitted.join(' ').match(/\S+/gu)).toEqual(['label', ...all]);
      for (const line of fitted) expect(columnsOf(line)).toBeLessThanOrEqual(width);
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from './suggest.ts';

const commands = ['run', 'resume', 'status', 'stats', 'stop', 'ls', 'logs', 'pause', 'maxIterations', 'maxTime'];

test.each([
  ['runn', 'run'],
  ['rnu', 'run'],
  ['sl', 'ls'],
  ['stauts', 'status'],
  ['Resume', 'resume'],
  ['max_iterations', 'maxIterations'],
  ['max-iteration', 'maxIterations'],
  ['maxItrations', 'maxIterations'],
])('the word %j is treated as a typo of %j', (word, expected) => {
  expect(nearest(word, commands)).toBe(expected);
});

test.each(['xyz', 'q', 'loop', '', '-', 'deploy', 'everything'])(
  'nothing is suggested for %j because nothing is close',
  (word) => {
    expect(nearest(word, commands)).toBeUndefined();
  },
);

test('a very long word is not compared at all', () => {
  expect(nearest(`${'x'.repeat(100)}a`, [`${'x'.repeat(100)}b`])).toBeUndefined();
});

test('one swap of neighbouring letters in a long enough word still finds the word', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'e'), minLength: 3, maxLength: 12 });
  fc.assert(
    fc.property(word, fc.nat(), (target, seed) => {
      const index = seed % (target.length - 1);
      const swapped = `${target.slice(0, index)}${target[index + 1]}${target[index]}${target.slice(index + 2)}`;
      expect(nearest(swapped, ['unrelated-thing', target])).toBe(target);
    }),
  );
});

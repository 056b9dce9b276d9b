import { expect, test } from 'vitest';
import { mutants } from './all.ts';
import { hunt } from './hunt.ts';

test('A132, A136, A141: there are at least 25 planted bugs, each with a name of its own', () => {
  expect(new Set(mutants.map(({ bug }) => bug)).size).toBeGreaterThanOrEqual(25);
});

test.for(mutants)('A130, A132: it is noticed when $bug', (mutant) => {
  expect(hunt(mutant)).toMatchObject({ by: expect.any(String) });
});

import { expect, test } from 'vitest';
import { nextStep, projectFiles, sourceFile } from './project.ts';

const broken = projectFiles[sourceFile] ?? '';
const refusal = '## Check results after iteration 1\n\n> 2 tests fail';

test('the demo claims too early, fixes one bug when it is refused, then the other, and only then is right to claim', () => {
  const first = nextStep(broken, 'the task');
  const second = nextStep(first.source, refusal);
  const third = nextStep(second.source, refusal);
  expect([first.claims, second.claims, third.claims]).toEqual([true, false, true]);
  expect(first.source).not.toBe(broken);
  expect(second.source).toContain('item.price * item.quantity');
  expect(third.source).toContain('(cents * percent) / 100');
});

test('each step changes the project, so that each is progress', () => {
  const first = nextStep(broken, '').source;
  const second = nextStep(first, refusal).source;
  const third = nextStep(second, refusal).source;
  expect(new Set([broken, first, second, third]).size).toBe(4);
});

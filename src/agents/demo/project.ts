/** The small broken project of the demo, and the steps in which its agent fixes it. */

export const sourceFile = 'cart.mjs';

const source = `// Prices are in cents.

export function total(items) {
  let sum = 0;
  for (const item of items) sum += item.price;
  return sum;
}

export function withDiscount(cents, percent) {
  return cents - cents * percent;
}
`;

const tests = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total, withDiscount } from './cart.mjs';

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0);
});

test('quantities count', () => {
  assert.equal(total([{ price: 250, quantity: 3 }, { price: 100, quantity: 1 }]), 850);
});

test('a discount is a percentage and leaves whole cents', () => {
  assert.equal(withDiscount(999, 10), 899);
});
`;

/** The project's files as they are at first: two of three tests fail. */
export const projectFiles: Readonly<Record<string, string>> = {
  [sourceFile]: source,
  'cart.test.mjs': tests,
  'PROMPT.md': 'Make every test in cart.test.mjs pass by fixing cart.mjs. Do not change the tests.\n',
};

const quantityBug = 'sum += item.price;';
const quantityFix = 'sum += item.price * item.quantity;';
const discountBug = 'return cents - cents * percent;';
const discountFix = 'return Math.round(cents - (cents * percent) / 100);';

/** What the agent does in one run. */
export interface Step {
  readonly lines: readonly string[];
  readonly source: string;
  readonly claims: boolean;
}

/** The next step, based on the project and the prompt; the agent has no other memory. */
export function nextStep(code: string, prompt: string): Step {
  const wasRefused = prompt.includes('Check results');
  if (!wasRefused && code.includes(quantityBug)) {
    return {
      lines: ['I read cart.mjs and added a comment that explains it.', 'All tests should pass now.'],
      source: code.replace('// Prices are in cents.', '// Prices are in cents and quantities are whole numbers.'),
      claims: true,
    };
  }
  if (code.includes(quantityBug)) {
    return {
      lines: [
        'The checks are right: quantities were ignored. I multiply by the quantity now.',
        'The discount is next.',
      ],
      source: code.replace(quantityBug, () => quantityFix),
      claims: false,
    };
  }
  return {
    lines: ['The discount was taken as a fraction. It is a percentage, rounded to whole cents.'],
    source: code.replace(discountBug, () => discountFix),
    claims: true,
  };
}

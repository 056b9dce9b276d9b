import { expect } from 'vitest';
import type { Explanation } from '../explain/explanation.ts';

/** Expects a complete explanation: no undefined or invalid number, at least one cause and one next step. */
export function expectExplained(explanation: Explanation): void {
  const { because, rules, pace, next } = explanation;
  expect(because.length).toBeGreaterThan(0);
  expect(next.length).toBeGreaterThan(0);
  expectSound(explanation);
  const near = rules.map((rule) => rule.near ?? -1);
  expect(near).toEqual(near.toSorted((one, other) => other - one));
  expect(pace.velocity ?? 0).toBeGreaterThanOrEqual(0);
  expect(pace.velocity ?? 0).toBeLessThanOrEqual(1);
}

function expectSound(value: unknown): void {
  if (typeof value === 'number') expect(value).toSatisfy(Number.isFinite);
  else if (typeof value === 'string') expect(value).not.toMatch(/undefined|NaN|Infinity|\[object/u);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) expectSound(part);
}

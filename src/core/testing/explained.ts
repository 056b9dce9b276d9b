import { expect } from 'vitest';
import type { Explanation } from '../judge/explanation.ts';

/** An explanation that explains: nothing in it is empty, and it has a next step. */
export function expectExplained(explanation: Explanation): void {
  const { headline, because, evidence, rules, pace, next, doubts } = explanation;
  expect(headline).toMatch(/^[A-Z].*\.$/su);
  expect(because.length).toBeGreaterThan(0);
  expect(next.length).toBeGreaterThan(0);
  const said = [
    ...because,
    ...evidence,
    ...doubts.map(({ message }) => message),
    ...rules.map((rule) => rule.evidence),
    ...next.map(({ does }) => does),
  ];
  for (const text of [headline, ...said]) expect(text).not.toMatch(/^\s*$|undefined|NaN|Infinity|\[object/u);
  for (const { command } of next) expect(command).toMatch(/^(?:ralphd|git) [a-z]+/u);
  const near = rules.map((rule) => rule.near ?? -1);
  expect(near).toEqual(near.toSorted((one, other) => other - one));
  expect(pace.velocity ?? 0).toBeGreaterThanOrEqual(0);
  expect(pace.velocity ?? 0).toBeLessThanOrEqual(1);
}

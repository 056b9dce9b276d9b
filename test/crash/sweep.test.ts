import { expect, test } from 'vitest';
import { sweep } from './harness/sweep.ts';
import { realSubject } from './oracle/subject.ts';
import { scenarios } from './scenarios/scenarios.ts';

test.for(scenarios)('A121, A130, A136: whichever call fails, nothing acknowledged is lost: $name', (scenario) => {
  const { violations, plays } = sweep(scenario, { subject: realSubject, isQuick: true });
  expect(violations).toEqual([]);
  expect(plays).toBeGreaterThan(100);
});

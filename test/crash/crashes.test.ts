import { expect, test } from 'vitest';
import { runSuite } from './harness/suite.ts';
import { statesOf } from './report/tables.ts';

test('A130, A136, A141, R21, R22, R25: after a crash anywhere, on any legal disk, also inside recovery, the acknowledged facts are there', () => {
  const rows = runSuite({ seed: 20261116, states: 27_000 });
  expect(
    rows.flatMap((row) => row.violations.map(({ scenario, what, point }) => `${scenario}, ${point}: ${what}`)),
  ).toEqual([]);
  expect(statesOf(rows)).toBeGreaterThanOrEqual(25_000);
  expect(statesOf(rows.filter(({ where }) => where === 'in the recovery'))).toBeGreaterThan(5000);
});

test('the same seed gives the same images', () => {
  const once = () =>
    runSuite({ seed: 7, states: 1500, only: 'snapshots between facts' }).map(({ model, states, images }) => [
      model,
      states,
      images,
    ]);
  expect(once()).toEqual(once());
});

import { expect, test } from 'vitest';
import type { IterationAccount } from '../core/index.ts';
import type { ShownRow } from './history.ts';
import { addToNight, type Night, noNight } from './night.ts';

function after(count: number, more: (iteration: number) => Partial<ShownRow> = () => ({})): Night {
  let night = noNight;
  for (let iteration = 1; iteration <= count; iteration += 1) {
    const at = new Date(Date.UTC(2026, 10, 1) + iteration * 60_000).toISOString();
    const row: ShownRow = {
      iteration,
      attempts: 1,
      sign: 'better',
      startedAt: at,
      endedAt: at,
      claimed: false,
      files: 1,
      costUsd: 0.5,
      tokens: null,
      what: '',
      ...more(iteration),
    };
    const account: IterationAccount = { iteration, attempts: [] };
    night = addToNight(night, row, account);
  }
  return night;
}

test.each([1, 200, 201, 5_000])('a night of %i iterations is at most 200 blocks without a gap', (count) => {
  const { blocks } = after(count);
  expect(blocks.length).toBeLessThanOrEqual(200);
  expect(blocks[0]?.first).toBe(1);
  expect(blocks.at(-1)?.last).toBe(count);
  expect(blocks.slice(1).every((block, index) => block.first === (blocks[index]?.last ?? 0) + 1)).toBe(true);
  expect(blocks.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)).toBeCloseTo(count / 2);
});

test('a block shows the worst of its iterations, the newest known tests, and that a cost is unknown', () => {
  const { blocks } = after(400, (iteration) => ({
    ...(iteration === 7 ? { sign: 'failed' as const, costUsd: null } : {}),
    ...(iteration % 2 === 1 ? { failedTests: iteration } : {}),
  }));
  expect(blocks.filter(({ sign }) => sign === 'failed')).toMatchObject([
    { first: 7, last: 8, failedTests: 7, costUsd: 0.5, isCostWhole: false },
  ]);
});

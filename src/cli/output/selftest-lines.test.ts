import { expect, test } from 'vitest';
import type { SelftestRow } from '../../selftest/index.ts';
import { fitLines } from './fit-lines.ts';
import { selftestRow, selftestSummary } from './selftest-lines.ts';

const plain = (text: string) => text;
const paint = { dim: plain, bold: plain, good: plain, bad: plain, warn: plain, note: plain };

const passed: SelftestRow = {
  name: 'kills',
  action: 'kill -9 at 5 random moments, then resume',
  promise: 'no fact or iteration is lost or repeated',
  result: 'ok',
  durationMs: 1_310,
};
const rows: readonly SelftestRow[] = [
  passed,
  { ...passed, name: 'sync', result: 'failed', finding: 'fact 2 was acknowledged before it was synced to disk' },
  { ...passed, name: 'disk', result: 'not_possible', finding: 'a small disk cannot be mounted' },
];

function table(width: number): string {
  const report = { ok: false, seed: 7, durationMs: 12_400, folder: '/tmp/ralphd-selftest-x', scenarios: rows };
  const lines = [...rows.flatMap((row) => selftestRow(row, paint, width)), ...selftestSummary(report, paint)];
  return fitLines(lines, width).join('\n');
}

test('the table of the self-test shows what was done, what must hold and what was found', () => {
  expect(table(Number.POSITIVE_INFINITY)).toMatchInlineSnapshot(`
    "✓ kills   kill -9 at 5 random moments, then resume                          1.3s
              no fact or iteration is lost or repeated
    ✗ sync    kill -9 at 5 random moments, then resume                          1.3s
              no fact or iteration is lost or repeated
              found: fact 2 was acknowledged before it was synced to disk
    ! disk    kill -9 at 5 random moments, then resume                          1.3s
              no fact or iteration is lost or repeated
              not possible here: a small disk cannot be mounted

    ✗ 1 of 3 passed, 1 failed, 1 not possible here, in 12s (seed 7)
      repeat: ralphd selftest --only sync --seed 7 --keep
      kept:   /tmp/ralphd-selftest-x"
  `);
});

test('the table of the self-test fits a narrow terminal', () => {
  expect(
    table(40)
      .split('\n')
      .filter((line) => line.length > 40),
  ).toEqual([]);
});

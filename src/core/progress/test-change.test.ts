import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TestCounts } from '../../protocol/index.ts';
import { counts } from '../testing/facts.ts';
import { compareTests } from './test-change.ts';

const flaky: readonly string[] = [];

function named(failing: readonly string[], passing: readonly string[]): TestCounts {
  const [failed, passed] = [failing.length, passing.length];
  const names = { failing: [...failing], passing: [...passing] };
  return { framework: 'tap', total: failed + passed, passed, failed, skipped: 0, ...names };
}

test.each<[string, TestCounts | undefined, TestCounts | undefined, number]>([
  ['there was no run before', undefined, counts(1), 0],
  ['there is no run now', counts(3), undefined, 0],
  ['no test ran', counts(3), counts(0, 0), 0],
  ['as many fail', counts(3), counts(3), 0],
  ['more fail', counts(3), counts(5), 0],
  ['two fewer fail', counts(3), counts(1), 2],
  ['three were deleted', counts(3), counts(0, 7), 0],
  ['one was fixed and two deleted', counts(3), counts(0, 8), 1],
  ['one was fixed and another broken', named(['a'], ['b']), named(['b'], ['a']), 1],
  ['one was deleted and another broken', named(['a'], ['b']), named(['b'], []), 0],
  ['names are missing and two fewer fail', { ...counts(3), failing: [] }, counts(1), 2],
])('R16, B049: tests that were fixed when %s', (_case, before, after, fixed) => {
  expect(compareTests({ before, after, flaky }).fixed).toBe(fixed);
});

test('R16, B045: a flaky test that passes this time has not been fixed', () => {
  const runs = { before: named(['a', 'b'], []), after: named([], ['a', 'b']) };
  expect(compareTests({ ...runs, flaky: ['a'] }).fixed).toBe(1);
  expect(compareTests({ ...runs, flaky: ['a', 'b'] }).fixed).toBe(0);
});

test('R16: an unchanged run never counts as better, and no more is fixed than failed before', () => {
  const runs = fc
    .tuple(fc.uniqueArray(fc.constantFrom(...'abcdefgh'.split(''))), fc.nat(8))
    .map(([names, cut]) => named(names.slice(0, cut), names.slice(cut)));
  fc.assert(
    fc.property(runs, runs, (before, after) => {
      expect(compareTests({ before, after: before, flaky })).toEqual({ fixed: 0, fewer: 0, added: 0 });
      expect(compareTests({ before, after, flaky }).fixed).toBeLessThanOrEqual(before.failed);
    }),
  );
});

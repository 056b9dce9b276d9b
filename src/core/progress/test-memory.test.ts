import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TestCounts } from '../../protocol/index.ts';
import type { RememberedTest } from '../state/tests.ts';
import { testId } from './test-id.ts';
import {
  flakyTests,
  recentlyBroken,
  recentlyFixed,
  rememberChecks,
  rememberTests,
  streakOf,
  totalsOf,
} from './test-memory.ts';

interface More {
  readonly passing?: string[];
  readonly failed?: number;
  readonly total?: number;
  readonly failures?: TestCounts['failures'];
}

function run(failing: readonly string[], { failed = failing.length, total = 10, ...named }: More = {}): TestCounts {
  const { passing, failures } = named;
  return {
    framework: 'tap',
    total,
    passed: total - failed,
    failed,
    skipped: 0,
    failing: [...failing],
    ...(passing === undefined ? {} : { passing }),
    ...(failures === undefined ? {} : { failures }),
  };
}

function after(...runs: readonly TestCounts[]): readonly RememberedTest[] {
  return runs.reduce<readonly RememberedTest[]>(
    (memory, each, index) => rememberTests(memory, each, runs[index - 1]),
    [],
  );
}

test('A112: a test that failed and passes now is recently fixed, until the next run', () => {
  expect(recentlyFixed(after(run(['a', 'b']), run(['b'])))).toEqual(['a']);
  expect(recentlyFixed(after(run(['a', 'b']), run(['b']), run(['b'])))).toEqual([]);
});

test('B045, B048: a test that passed and fails now is recently broken, also when it never failed before', () => {
  expect(recentlyBroken(after(run(['a']), run([]), run(['a'])))).toEqual(['a']);
  expect(recentlyBroken(after(run([], { passing: ['a', 'b'] }), run(['a'])))).toEqual(['a']);
  expect(recentlyBroken(after(run([], { passing: ['a'] }), run(['a']), run(['a'])))).toEqual([]);
  expect(recentlyBroken(after(run(['a'])))).toEqual([]);
});

test('B045: if only failing tests are named, a new one among the same number of tests had passed before', () => {
  expect(recentlyBroken(after(run(['b']), run(['a', 'b'])))).toEqual(['a']);
  expect(recentlyBroken(after(run(['b']), run(['a', 'b'], { total: 11 })))).toEqual([]);
  expect(recentlyBroken(after(run(['b'], { failed: 2 }), run(['a', 'b'])))).toEqual([]);
});

test('B045: a test that was deleted or skipped is not fixed, then or later', () => {
  const deleted = after(run(['a', 'b']), run(['b'], { total: 9 }), run(['b'], { total: 9 }));
  expect(recentlyFixed(deleted)).toEqual([]);
  expect(deleted.find(({ name }) => name === 'a')).toMatchObject({ results: 'f', untold: true });
  const skipped = { ...run(['b']), passed: 8, skipped: 1 };
  expect(recentlyFixed(after(run(['a', 'b']), skipped))).toEqual([]);
});

test('B045: one test fixed and another broken at the same time are both reported', () => {
  const memory = after(run(['a']), run(['b']));
  expect([recentlyFixed(memory), recentlyBroken(memory)]).toEqual([['a'], ['b']]);
});

test('B045: a run that broke off before most tests, or ran none, fixes nothing', () => {
  const cut = run(['suite cannot be loaded'], { total: 1 });
  expect(recentlyFixed(after(run(['a', 'b']), cut))).toEqual([]);
  expect(recentlyFixed(after(run(['a', 'b']), run([], { total: 0 })))).toEqual([]);
});

test('B044: a test with a slightly different name in two runs is one test with one history', () => {
  const memory = after(run(['adds (12 ms)']), run(['adds (3 ms)']), run([]));
  expect(memory).toEqual([{ name: 'adds (12 ms)', results: 'ffp', passes: 1, failures: 2 }]);
});

test('B044: a test has its file and its last error; two tests with the same name in two files are two', () => {
  const failures = [
    { name: 'adds', file: 'a.js', error: 'no' },
    { name: 'adds', file: 'b.js', error: 'never' },
  ];
  const both = after(run(['adds', 'adds'], { failures }));
  expect(both).toMatchObject([
    { file: 'a.js', error: 'no' },
    { file: 'b.js', error: 'never' },
  ]);
  const second = run(['adds'], { failures: [{ name: 'adds', file: 'b.js', error: 'still' }] });
  expect(rememberTests(both, second, run(['adds', 'adds']))).toMatchObject([
    { file: 'a.js', results: 'fp', error: 'no' },
    { file: 'b.js', results: 'ff', error: 'still' },
  ]);
});

test('B044: a row from an earlier release is continued: its results give the totals, and it takes the newly reported file', () => {
  const old = [{ name: 'adds', results: 'fpf' }];
  expect(old.map(totalsOf)).toEqual([{ passes: 1, failures: 2 }]);
  const now = run(['adds'], { failures: [{ name: 'adds', file: 'a.js' }] });
  expect(rememberTests(old, now, run(['adds']))).toEqual([
    { name: 'adds', file: 'a.js', results: 'fpff', passes: 1, failures: 3 },
  ]);
});

test('B044: each remembered test has the number of times in a row that it passed or failed', () => {
  const [test] = after(run(['a']), run([]), run(['a']), run(['a']), run(['a']));
  expect(test && streakOf(test)).toEqual({ result: 'failed', length: 3 });
  const [fixed] = after(run(['a']), run([]), run([]));
  expect(fixed && streakOf(fixed)).toEqual({ result: 'passed', length: 2 });
});

test('B044, B048: a streak rises with each failure, even beyond the kept results, and resets with a pass', () => {
  const red = Array.from({ length: 25 }, () => run(['a']));
  const [test] = after(...red);
  expect(test).toMatchObject({ results: 'f'.repeat(20), passes: 0, failures: 25 });
  expect(test && streakOf(test)).toEqual({ result: 'failed', length: 25 });
  const [fixed] = after(...red, run([]));
  expect(fixed && streakOf(fixed)).toEqual({ result: 'passed', length: 1 });
});

test('R16: checks that were refused once are remembered like tests; one that did not run keeps its results', () => {
  const tried = (...checks: readonly (readonly [string, 'passed' | 'failed' | 'timed_out'])[]) =>
    checks.map(([command, verdict]) => ({ command, verdict }));
  const first = rememberChecks([], tried(['build', 'timed_out'], ['lint', 'passed'], ['test', 'failed']));
  expect(first).toEqual([
    { name: 'build', results: 'f' },
    { name: 'test', results: 'f' },
  ]);
  expect(rememberChecks(first, tried(['build', 'passed']))).toEqual([
    { name: 'build', results: 'fp' },
    { name: 'test', results: 'f' },
  ]);
});

test('A112, B045, B048: a test is flaky when more than a fifth of at least five results are changes', () => {
  const red = run(['a']);
  const green = run([]);
  expect(flakyTests(after(red, green, red, green))).toEqual([]);
  expect(flakyTests(after(red, green, red, green, red))).toEqual(['a']);
  expect(flakyTests(after(red, red, red, red, green))).toEqual([]);
  expect(flakyTests(after(red, red, red, green, red))).toEqual(['a']);
});

test('a test that a run did not name is not treated as passed if more tests failed than the run named', () => {
  const silent = run(['b'], { failed: 40 });
  expect(recentlyFixed(after(run(['a']), silent))).toEqual([]);
  expect(recentlyFixed(after(run(['a']), run(['b'], { failed: 40, passing: ['a'] })))).toEqual(['a']);
});

test('a test that never failed is not remembered', () => {
  expect(after(run([], { passing: ['a'] }))).toEqual([]);
});

test('B046, B048: a thousand tests are kept; those not reported for the longest time go first, failing ones last', () => {
  const names = (from: number, count: number) => Array.from({ length: count }, (_, index) => `test ${from + index}`);
  const large = { total: 9_000 };
  const first = after(run(names(0, 500), large), run(names(300, 500), large));
  expect(first.map(({ name }) => name)).toEqual([...names(0, 300), ...names(300, 500)]);
  const full = rememberTests(first, run(names(800, 500), large), run(names(300, 500), large));
  expect(full).toHaveLength(1_000);
  expect(full.map(({ name }) => name)).toEqual([...names(300, 1_000)]);
});

test('B046: the memory takes a bounded space, whatever the names and errors', () => {
  const long = (kind: string, index: number) => `${kind} ${index} ${'x'.repeat(290)}`;
  const failing = Array.from({ length: 500 }, (_, index) => long('test', index));
  const failures = failing.map((name, index) => ({ name, file: long('file', index), error: long('error', index) }));
  const memory = after(run(failing, { total: 9_000, failures }));
  expect(memory.length).toBeGreaterThan(200);
  expect(memory.at(-1)?.name).toBe(failing.at(-1));
  expect(memory.filter(({ error }) => error !== undefined)).toHaveLength(50);
  expect(JSON.stringify(memory).length).toBeLessThan(220_000);
});

test('B046: the memory stays small, whatever the runs report', () => {
  const names = fc.array(fc.string(), { maxLength: 300 });
  fc.assert(
    fc.property(fc.array(names, { maxLength: 30 }), (runs) => {
      const memory = after(...runs.map((failing) => run(failing, { total: 500 })));
      expect(memory.length).toBeLessThanOrEqual(1_000);
      expect(memory.every(({ results }) => results.length <= 20 && /^[pf]+$/u.test(results))).toBe(true);
      expect(new Set(memory.map(testId)).size).toBe(memory.length);
    }),
  );
});

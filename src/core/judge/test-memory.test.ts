import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  flakyTests,
  type RememberedTest,
  recentlyBroken,
  recentlyFixed,
  rememberChecks,
  rememberTests,
  streakOf,
} from './test-memory.ts';

function run(failing: readonly string[], more: { passing?: string[]; failed?: number } = {}) {
  const failed = more.failed ?? failing.length;
  const passing = more.passing === undefined ? {} : { passing: more.passing };
  return { framework: 'tap', total: 10, passed: 10 - failed, failed, skipped: 0, failing: [...failing], ...passing };
}

function after(...runs: readonly ReturnType<typeof run>[]): readonly RememberedTest[] {
  return runs.reduce<readonly RememberedTest[]>(
    (memory, each, index) => rememberTests(memory, each, runs[index - 1]),
    [],
  );
}

test('A112: a test that failed and passes now is recently fixed, until the next run', () => {
  expect(recentlyFixed(after(run(['a', 'b']), run(['b'])))).toEqual(['a']);
  expect(recentlyFixed(after(run(['a', 'b']), run(['b']), run(['b'])))).toEqual([]);
});

test('B045: a test that passed and fails now is recently broken, also when it never failed before', () => {
  expect(recentlyBroken(after(run(['a']), run([]), run(['a'])))).toEqual(['a']);
  expect(recentlyBroken(after(run([], { passing: ['a', 'b'] }), run(['a'])))).toEqual(['a']);
  expect(recentlyBroken(after(run([], { passing: ['a'] }), run(['a']), run(['a'])))).toEqual([]);
  expect(recentlyBroken(after(run(['a'])))).toEqual([]);
});

test('B044: each remembered test knows how often in a row it passed or failed', () => {
  const [test] = after(run(['a']), run([]), run(['a']), run(['a']), run(['a']));
  expect(test && streakOf(test)).toEqual({ result: 'failed', length: 3 });
  const [mended] = after(run(['a']), run([]), run([]));
  expect(mended && streakOf(mended)).toEqual({ result: 'passed', length: 2 });
});

test('R16: checks that were refused once are remembered like tests; one that did not run keeps what it showed', () => {
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

test('A112, B045: a test is flaky when more than a fifth of at least five results are changes', () => {
  const red = run(['a']);
  const green = run([]);
  expect(flakyTests(after(red, green, red, green))).toEqual([]);
  expect(flakyTests(after(red, green, red, green, red))).toEqual(['a']);
  expect(flakyTests(after(red, red, red, red, green))).toEqual([]);
  expect(flakyTests(after(red, red, red, green, red))).toEqual(['a']);
});

test('a test that a run did not name is not taken for passed when the run failed more than it named', () => {
  const silent = run(['b'], { failed: 40 });
  expect(recentlyFixed(after(run(['a']), silent))).toEqual([]);
  expect(recentlyFixed(after(run(['a']), run(['b'], { failed: 40, passing: ['a'] })))).toEqual(['a']);
});

test('a test that never failed is not remembered', () => {
  expect(after(run([], { passing: ['a'] }))).toEqual([]);
});

test('the memory stays small, whatever the runs say', () => {
  const names = fc.array(fc.string(), { maxLength: 300 });
  fc.assert(
    fc.property(fc.array(names, { maxLength: 30 }), (runs) => {
      const memory = after(...runs.map((failing) => run(failing)));
      expect(memory.length).toBeLessThanOrEqual(200);
      expect(memory.every(({ results }) => results.length <= 20 && /^[pf]+$/u.test(results))).toBe(true);
      expect(new Set(memory.map(({ name }) => name)).size).toBe(memory.length);
    }),
  );
});

import { expect, test } from 'vitest';
import { changed, counts } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { type CountedIteration, countIteration, emptyStats } from './stats.ts';

const before = {
  ...emptyStats,
  iterations: 10,
  successfulIterations: 4,
  failedIterations: 3,
  timedOutIterations: 1,
  skippedIterations: 2,
  iterationFailureStreak: 2,
  testFailureStreak: 2,
  noProgressCount: 2,
};

const table: readonly [CountedIteration, Partial<typeof emptyStats>][] = [
  [
    { status: 'completed', madeProgress: true },
    { successfulIterations: 5, iterationFailureStreak: 0, noProgressCount: 0 },
  ],
  [
    { status: 'completed', madeProgress: false },
    { iterationFailureStreak: 0, noProgressCount: 3 },
  ],
  [{ status: 'completed', madeProgress: null }, { iterationFailureStreak: 0 }],
  [
    { status: 'failed', madeProgress: true },
    { failedIterations: 4, iterationFailureStreak: 3, noProgressCount: 0 },
  ],
  [
    { status: 'failed', madeProgress: false },
    { failedIterations: 4, iterationFailureStreak: 3, noProgressCount: 3 },
  ],
  [
    { status: 'failed', madeProgress: null },
    { failedIterations: 4, iterationFailureStreak: 3 },
  ],
  [
    { status: 'timed_out', madeProgress: false },
    { failedIterations: 4, timedOutIterations: 2, iterationFailureStreak: 3, noProgressCount: 3 },
  ],
  [{ status: 'skipped', madeProgress: true }, { skippedIterations: 3 }],
  [{ status: 'skipped', madeProgress: false }, { skippedIterations: 3 }],
  [{ status: 'skipped', madeProgress: null }, { skippedIterations: 3 }],
];

test.each(table)('A029 A030 A031 A032 R17: an iteration that is %o moves its own counters only', (counted, moved) => {
  expect(countIteration(before, counted)).toEqual({ ...before, iterations: 11, ...moved });
});

test('A029 A033: a snapshot of all counters survives JSON', () => {
  const story = startedStory().run({ durationMs: 1_234 });
  story.advance();
  expect(JSON.parse(JSON.stringify(story.loop.totals.stats))).toEqual({
    ...emptyStats,
    iterations: 1,
    successfulIterations: 1,
    totalExecutionMs: 1_234,
    filesModified: 1,
  });
});

test('A032: execution time, files and tests add up over iterations', () => {
  const story = startedStory();
  story.run({ claimed: true, durationMs: 100, changes: changed(2) }).gate({ verdict: 'failed', tests: counts(3) });
  story.advance();
  story
    .run({ claimed: true, durationMs: 50, changes: changed(0, { created: ['a'], deleted: ['b', 'c'], count: 3 }) })
    .gate({ verdict: 'failed', tests: counts(1) });
  story.advance();
  expect(story.loop.totals.stats).toMatchObject({
    totalExecutionMs: 150,
    filesModified: 2,
    filesCreated: 1,
    filesDeleted: 2,
    testsRun: 20,
    testsPassed: 16,
    testsFailed: 4,
  });
});

test('A030 R17: an iteration that failed leaves the streak of test failures alone', () => {
  const story = startedStory({ config: { stopConditions: { maxTestFailureStreak: 9 } } });
  for (const failed of [3, 3, 3]) {
    story.run({ claimed: true }).gate({ verdict: 'failed', tests: counts(failed) });
    story.advance();
  }
  expect(story.loop.totals.stats).toMatchObject({ testFailureStreak: 2, iterationFailureStreak: 0 });
  story.run({ outcome: 'unknown', ending: { kind: 'exited', code: 1 } });
  story.advance();
  expect(story.loop.totals.stats).toMatchObject({ testFailureStreak: 2, iterationFailureStreak: 1 });
});

test('A047: a failed iteration counts, is reported with its message, and does not end the loop by itself', () => {
  const story = startedStory().run({ outcome: 'unknown', ending: { kind: 'exited', code: 3 }, error: 'it broke' });
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
  expect(story.loop.totals.stats).toMatchObject({ iterations: 1, failedIterations: 1 });
  expect(story.loop.signals.lastFailure).toMatchObject({ class: 'agent', message: 'it broke', streak: 1 });
});

test('what an attempt that cost nothing spent is still spent', () => {
  const story = startedStory().run({ outcome: 'rate_limited', usage: { inputTokens: 5, costUsd: 0.5 } });
  story.advance();
  expect(story.loop.totals.stats.iterations).toBe(0);
  expect(story.loop.totals.spent).toMatchObject({
    tokens: 5,
    costUsd: 0.5,
    runs: 1,
    unreportedTokens: 0,
    unreportedCost: 0,
  });
});

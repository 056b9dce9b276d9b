import { expect, test } from 'vitest';
import { changed, counts } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { interludesOf } from './interludes.ts';
import { accountOf, accountsOf, testsChangedBy } from './iteration-account.ts';
import { rowOf } from './iteration-row.ts';
import { reportOf } from './report.ts';

const minute = 60_000;

test('a long loop is reported with its first and newest iterations, and totals over all', () => {
  const story = startedStory({ config: { maxIterations: 500, stopConditions: { maxNoProgressIterations: 0 } } });
  for (let count = 0; count < 60; count += 1) {
    story.run({ usage: { costUsd: 0.5 }, changes: changed(count % 2) });
    story.advance();
  }
  const { iterations } = reportOf(story.loop, story.facts, { nowMs: story.nowMs, shownStatus: 'running' });
  expect(iterations).toMatchObject({ finished: 60, omitted: 30, claims: 0, bySign: { better: 30, still: 30 } });
  expect(iterations.rows.map(({ iteration }) => iteration)).toEqual([
    1,
    2,
    3,
    4,
    5,
    ...Array.from({ length: 25 }, (_, index) => 36 + index),
  ]);
});

test('B095: an iteration has its time, tokens, cost, tests and result in one row, over all its attempts', () => {
  const story = startedStory();
  story.run({ outcome: 'rate_limited', usage: { inputTokens: 5, costUsd: 0.5 } }).advance();
  story.run({ claimed: true, usage: { inputTokens: 10, outputTokens: 2, costUsd: 1 } });
  story.gate({ verdict: 'failed', tests: counts(4) }).advance();
  const account = accountOf(story.facts, 1);
  expect(account && rowOf(account)).toMatchObject({
    iteration: 1,
    attempts: 2,
    sign: 'better',
    claimed: true,
    verdict: 'failed',
    failedTests: 4,
    files: 1,
    costUsd: 1.5,
    tokens: 17,
    durationMs: 1_500,
  });
});

test('an iteration keeps what its interrupted attempts did', () => {
  const story = startedStory().run({ outcome: 'rate_limited', error: 'later' });
  story.advance();
  story.run();
  const account = accountOf(story.facts);
  expect(account?.attempts).toMatchObject([
    { attempt: 1, run: { outcome: 'rate_limited' }, interrupted: { cause: 'limit' } },
    { attempt: 2, run: { outcome: 'completed' } },
  ]);
  expect(account).not.toHaveProperty('finished');
  expect(accountOf(story.facts, 7)).toBeUndefined();
});

test('tests that an iteration fixed or broke are named, and none is guessed from a shortened list', () => {
  const run = (failing: readonly string[], failed = failing.length) => ({
    ...counts(0),
    failed,
    failing: [...failing],
  });
  const story = startedStory();
  story
    .run({ claimed: true })
    .gate({ verdict: 'failed', tests: run(['a', 'b']) })
    .advance();
  story
    .run({ claimed: true })
    .gate({ verdict: 'failed', tests: run(['b', 'c']) })
    .advance();
  story
    .run({ claimed: true })
    .gate({ verdict: 'failed', tests: run(['c'], 9) })
    .advance();
  const [first, second, third] = [...accountsOf(story.facts)];
  expect(first && testsChangedBy(first)).toEqual({ fixed: [], broken: [] });
  expect(second && testsChangedBy(second)).toEqual({ fixed: ['a'], broken: ['c'] });
  expect(third && testsChangedBy(third)).toEqual({ fixed: [], broken: [] });
});

test('waits and pauses are measured, current ones up to now', () => {
  const story = startedStory();
  const resetAt = new Date(story.nowMs + 30 * minute).toISOString();
  story.run({ outcome: 'usage_limited', error: 'limit', resetAt }).advance();
  story
    .pass(10 * minute)
    .command({ command: 'retry' })
    .advance();
  story.begin().command({ command: 'pause', now: true });
  story.tell({ type: 'loop.paused', data: { reason: 'user_pause', message: 'on request', elapsedMs: 0 } });
  const at = (ms: number) => interludesOf(story.facts, story.nowMs + ms);
  expect(at(5 * minute)).toMatchObject({
    waits: [{ cause: 'limit', message: 'limit' }],
    pauses: [{ reason: 'user_pause' }],
    waitedMs: 10 * minute,
    pausedMs: 5 * minute,
    counts: { waits: 1, pauses: 1 },
  });
});

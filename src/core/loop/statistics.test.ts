import { expect, test } from 'vitest';
import { type Story, startedStory } from '../testing/story.ts';
import { type FailureTally, tallyFailure } from './failure-tally.ts';
import { type IterationLog, logIteration } from './iteration-figures.ts';
import { type LoopFigures, statisticsOf } from './statistics.ts';

const limited = {
  outcome: 'rate_limited',
  error: 'slow down',
  ending: { kind: 'exited', code: 1 },
} as const;
const broken = { outcome: 'unknown', error: 'it broke', ending: { kind: 'exited', code: 1 } } as const;

function figuresOf({ loop, facts }: Story): LoopFigures {
  const start: FailureTally = { agent: 'claude', counts: [] };
  const { reason, verified } = loop.outcome;
  return {
    status: loop.status,
    ...(reason === undefined ? {} : { reason }),
    verified,
    totals: loop.totals,
    failures: facts.reduce(tallyFailure, start).counts,
  };
}

/** A loop that fails once, then completes. */
function completedLoop(usage: object | undefined): Story {
  const more = { ...(usage === undefined ? {} : { usage }), model: 'opus' };
  const story = startedStory();
  story.run({ ...more, ...broken });
  story.advance();
  story.run({ ...more, claimed: true });
  story.gate({ verdict: 'passed', proof: 'tree' });
  story.advance();
  const end = { status: 'completed', reason: 'completed', message: 'done', verified: true, elapsedMs: 0 } as const;
  return story.tell({ type: 'loop.ended', data: end });
}

test('A067 A162: totals and averages over loops add up, and results are counted by status and reason', () => {
  const paid = completedLoop({ inputTokens: 100, outputTokens: 20, costUsd: 0.5 });
  const waiting = startedStory().run();
  waiting.advance();
  const statistics = statisticsOf([figuresOf(paid), figuresOf(paid), figuresOf(waiting)]);
  expect(statistics).toMatchObject({
    loops: {
      total: 3,
      byStatus: { completed: 2, running: 1 },
      byReason: { completed: 2 },
      verified: 2,
      successRate: 1,
    },
    iterations: { total: 5, successful: 3, failed: 2, timedOut: 0, skipped: 0, successRate: 0.6, averageMs: 1_000 },
    time: { executionMs: 5_000 },
    spent: { runs: 5, tokens: 480, unreportedTokens: 1, costUsd: 2, unreportedCost: 1 },
    costPerCompletedLoop: { usd: 1, loops: 2, unknown: 0 },
  });
});

test('A162: what no run reported is unknown and never 0, also in averages', () => {
  const unpaid = statisticsOf([figuresOf(completedLoop(undefined))]);
  expect(unpaid.costPerCompletedLoop).toEqual({ usd: null, loops: 0, unknown: 1 });
  expect(unpaid.spent).toMatchObject({ runs: 2, unreportedCost: 2 });
  const none = statisticsOf([]);
  expect(none.loops.successRate).toBeNull();
  expect(none.iterations).toMatchObject({ total: 0, successRate: null, averageMs: null });
  const mixed = statisticsOf([figuresOf(completedLoop(undefined)), figuresOf(completedLoop({ costUsd: 0.25 }))]);
  expect(mixed.costPerCompletedLoop).toEqual({ usd: 0.5, loops: 1, unknown: 1 });
});

test('A067: failures are counted by agent, model and class; failures that cost no iteration count, requested ends do not', () => {
  const story = startedStory();
  story.run({ model: 'opus', ...limited });
  story.advance();
  story.run({ model: 'sonnet', ...limited });
  story.advance();
  story.run(broken);
  story.advance();
  story.begin();
  story.tell({
    type: 'iteration.interrupted',
    data: { ...story.attempt, cause: 'request', message: 'paused', elapsedMs: 0 },
  });
  const { failures } = statisticsOf([figuresOf(story), figuresOf(story)]);
  expect(failures).toEqual([
    { agent: 'claude', model: 'opus', class: 'limit', count: 2 },
    { agent: 'claude', model: 'sonnet', class: 'limit', count: 2 },
    { agent: 'claude', class: expect.any(String) as string, count: 2 },
  ]);
});

test('B095: each iteration has its number, instant, score with its change, tokens, cost, time and verification', () => {
  const { facts } = completedLoop({ inputTokens: 100, outputTokens: 20, costUsd: 0.5 });
  const empty: IterationLog = { figures: [] };
  const { figures } = facts.reduce(logIteration, empty);
  expect(figures).toMatchObject([
    { iteration: 1, attempt: 1, status: 'failed', tokens: 120, costUsd: 0.5, verification: 'skipped', model: 'opus' },
    { iteration: 2, attempt: 1, status: 'completed', tokens: 120, costUsd: 0.5, verification: 'passed' },
  ]);
  const [first, second] = figures;
  expect(second?.scoreDelta).toBe((second?.score ?? 0) - (first?.score ?? 0));
  expect(first).not.toHaveProperty('scoreDelta');
  const unknown = completedLoop(undefined).facts.reduce(logIteration, empty).figures;
  for (const each of unknown) expect(each).not.toHaveProperty('costUsd');
});

test('B095: the newest hundred iterations are listed, however many there are', () => {
  const { facts } = completedLoop(undefined);
  let log: IterationLog = { figures: [] };
  for (let round = 0; round < 100; round += 1) log = facts.reduce(logIteration, log);
  expect(log.figures).toHaveLength(100);
});

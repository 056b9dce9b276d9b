import { expect, test } from 'vitest';
import {
  edit,
  historyOf,
  type IterationRecord,
  idleLoop,
  type JudgedIteration,
  qualityScore,
} from '../../core/index.ts';
import { counts } from '../../core/testing/facts.ts';
import { startedStory } from '../../core/testing/story.ts';
import { configSchema } from '../../protocol/index.ts';
import { addToAnalytics, iterationsOfAnalytics, toAnalyticsDocument, toAnalyticsIteration } from './analytics.ts';
import { diminishingFrom, qualityDeltas, trajectoryOf } from './trajectory.ts';

const record = (number: number): IterationRecord => ({
  number,
  attempt: 1,
  status: 'completed',
  startedAt: '2026-11-16T09:00:00.000Z',
  metadata: {},
});

test('A172: the analytics list only the newest iterations, however many there were', () => {
  const many = Array.from({ length: 250 }, (_, index) => toAnalyticsIteration(record(index + 1)));
  const kept = many.reduce((list, each) => addToAnalytics(list, [each]), addToAnalytics([], []));
  expect(kept.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, index) => index + 151));
});

test('a later record of an iteration replaces the earlier one', () => {
  const before = addToAnalytics([], [toAnalyticsIteration(record(1)), toAnalyticsIteration(record(2))]);
  const after = addToAnalytics(before, [{ ...toAnalyticsIteration(record(2)), attempt: 2 }]);
  expect(after.map(({ number, attempt }) => [number, attempt])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('an analytics file is continued, unless it belongs to another loop or is unreadable', () => {
  const loop = { ...idleLoop(configSchema.parse({})), id: 'ralph-x-00000001' };
  const iterations = addToAnalytics([], [toAnalyticsIteration(record(1))]);
  const document: unknown = JSON.parse(JSON.stringify(toAnalyticsDocument(loop, iterations, 'now')));
  expect(iterationsOfAnalytics(document, loop.id)).toMatchObject(iterations);
  expect(iterationsOfAnalytics(document, 'ralph-y-00000002')).toEqual([]);
  expect(iterationsOfAnalytics(undefined, loop.id)).toEqual([]);
});

test('R26, B096: the analytics name the best iteration and why it is that', () => {
  const loop = edit(idleLoop(configSchema.parse({})), { id: 'ralph-x-00000001', position: { finished: 2 } });
  const judged = (proof: 'partly' | 'unknown'): JudgedIteration => ({
    iteration: 1,
    quality: { proof, checks: { passed: 1, total: 2 }, worked: true, files: 1, headMoved: false },
  });
  const document = toAnalyticsDocument({ ...loop, progress: { ...loop.progress, best: judged('partly') } }, [], 'now');
  expect(document).toMatchObject({ selected_iteration: 1, selection_reason: '1 of 2 checks passed' });
  expect(
    toAnalyticsDocument({ ...loop, progress: { ...loop.progress, best: judged('unknown') } }, [], 'now'),
  ).toMatchObject({
    selected_iteration: 1,
    selection_reason: 'no iteration is proven to be better',
  });
  expect(toAnalyticsDocument(loop, [], 'now')).not.toHaveProperty('selected_iteration');
});

/** The analytics of a loop whose gates left so many tests failing, one iteration each. */
function analyticsAfter(...failing: readonly number[]): Readonly<Record<string, unknown>> {
  const story = startedStory({ config: { maxIterations: 50, stopConditions: { maxTestFailureStreak: 0 } } });
  for (const failed of failing) {
    story
      .pass(1_000)
      .run({ claimed: true, summary: 'one step', usage: { inputTokens: 90, outputTokens: 10, costUsd: 0.5 } });
    story.gate({ verdict: 'failed', tests: counts(failed) }).advance();
  }
  const iterations = historyOf(story.facts).records.map(toAnalyticsIteration);
  return toAnalyticsDocument(story.loop, iterations, 'now');
}

test('A177, B095: an iteration has its quality, what it gained, its tokens, cost, time, output and reflections', () => {
  const { iterations } = analyticsAfter(8, 3) as { iterations: readonly Record<string, unknown>[] };
  expect(iterations[1]).toMatchObject({
    loop_id: 'ralph-fix-tests-a1b2c3d4',
    iteration_number: 2,
    timestamp: '2026-11-01T12:00:02.000Z',
    quality_score: 35,
    quality_delta: 25,
    tokens_used: 100,
    token_cost_usd: 0.5,
    execution_time_ms: 1_500,
    verification_status: 'failed',
    output_snapshot_path: 'iterations/002/attempt-1/stdout',
    reflections: ['one step'],
  });
  expect(iterations[0]).not.toHaveProperty('quality_delta');
});

test('A177, B096: the summary has task, times, final and best iteration, and how the quality develops', () => {
  expect(analyticsAfter(8, 3, 3, 3)).toMatchObject({
    task: 'Fix the tests',
    start_time: '2026-11-01T12:00:00.000Z',
    final_iteration: 4,
    optimal_iteration: 2,
    quality_trajectory: 'improving',
    diminishing_returns_detected: true,
    diminishing_returns_iteration: 4,
  });
  expect(analyticsAfter(8, 3)).toMatchObject({ diminishing_returns_detected: false });
  expect(analyticsAfter()).not.toHaveProperty('final_iteration');
});

test('B095: quality is the share of checks and tests that pass; it is unknown without them, and 100 only when all pass', () => {
  const quality = { worked: true, files: 1, headMoved: false } as const;
  const checks = { passed: 1, total: 2 };
  expect(qualityScore({ ...quality, proof: 'unknown' })).toBeUndefined();
  expect(qualityScore({ ...quality, proof: 'tampered', checks })).toBe(0);
  expect(qualityScore({ ...quality, proof: 'partly', checks })).toBe(50);
  expect(qualityScore({ ...quality, proof: 'partly', checks: { passed: 2, total: 2 } })).toBe(99);
  expect(qualityScore({ ...quality, proof: 'passed', checks: { passed: 2, total: 2 } })).toBe(100);
});

test.each([
  [[], 'stable', undefined],
  [[50, 50, 50], 'stable', 3],
  [[10, undefined, 40], 'improving', undefined],
  [[40, 10], 'declining', undefined],
  [[10, 40, 20], 'fluctuating', undefined],
  [[10, 40, 42, 90, 91, 92], 'improving', 6],
] as const)('B096: after the scores %j the quality is %s', (scores, trajectory, diminishing) => {
  const iterations = scores.map((score, index) => ({ number: index + 1, quality_score: score }));
  expect(trajectoryOf([...qualityDeltas(iterations).values()])).toBe(trajectory);
  expect(diminishingFrom(iterations)).toBe(diminishing);
});

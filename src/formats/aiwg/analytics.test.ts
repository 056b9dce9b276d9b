import { expect, test } from 'vitest';
import { edit, type IterationRecord, idleLoop, type JudgedIteration } from '../../core/index.ts';
import { configSchema } from '../../protocol/index.ts';
import { addToAnalytics, iterationsOfAnalytics, toAnalyticsDocument, toAnalyticsIteration } from './analytics.ts';

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

import { expect, test } from 'vitest';
import { edit, type IterationRecord, idleLoop } from '../../core/index.ts';
import { configSchema, type Quality } from '../../protocol/index.ts';
import { addToAnalytics, iterationsOfAnalytics, toAnalyticsDocument, toAnalyticsIteration } from './analytics.ts';
import {
  analyticsAsCsv,
  analyticsAsMarkdown,
  loopsAsCsv,
  loopsAsMarkdown,
  summariseLoops,
} from './analytics-report.ts';
import { type SelectionStrategy, selectIteration } from './select-iteration.ts';
import { aiwgProblems } from './validate.ts';

const bare: Quality = { proof: 'unknown', worked: true, files: 1, headMoved: false };

function record(number: number, quality: Quality): IterationRecord {
  const changes = { known: true, headMoved: false, modified: [], created: [], deleted: [], count: 0 };
  return {
    number,
    attempt: 1,
    status: 'completed',
    startedAt: '2026-11-16T09:00:00.000Z',
    endedAt: '2026-11-16T09:01:00.000Z',
    metadata: {},
    result: {
      changes,
      progressDetected: true,
      durationMs: 1000.4,
      quality,
      usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 },
      summary: 'fixed, half | of "it"',
    },
  };
}

const loop = edit(idleLoop(configSchema.parse({})), {
  id: 'ralph-x-00000001',
  origin: { task: 'fix | it', startedAt: '2026-11-16T09:00:00.000Z' },
});
const document = toAnalyticsDocument(
  loop,
  addToAnalytics(
    [],
    [record(1, bare), record(2, { ...bare, proof: 'passed', checks: { passed: 1, total: 1 } })].map(
      toAnalyticsIteration,
    ),
  ),
  '2026-11-16T09:02:00.000Z',
);

test('A177 B095 B096: the analytics of a loop are a valid AIWG document with every figure of its iterations', () => {
  expect(aiwgProblems(document, 'analytics', 'pure')).toEqual([]);
  expect(document).toMatchObject({
    task_description: 'fix | it',
    quality_trajectory: 'stable',
    diminishing_returns_detected: false,
    iterations: [
      { iteration_number: 1, quality_score: 0, quality_measured: false, tokens_used: 15, token_cost_usd: 0.5 },
      {
        iteration_number: 2,
        quality_score: 100,
        verification_status: 'passed',
        reflections: ['fixed, half | of "it"'],
      },
    ],
  });
  // A score without evidence is not mistaken for a measured one later.
  expect(iterationsOfAnalytics(document, loop.id)[0]).not.toHaveProperty('quality_score');
});

test('A177: iterations that an earlier release listed get what the schema requires', () => {
  const earlier = [{ number: 4, attempt: 1, status: 'completed', started_at: '2026-11-16T09:00:00.000Z' }];
  const continued = toAnalyticsDocument(loop, earlier, '2026-11-16T09:02:00.000Z');
  expect(aiwgProblems(continued, 'analytics', 'pure')).toEqual([]);
});

test('A177 B099: the iterations are exported as CSV with every figure; a score that nothing measured is no score', () => {
  const [heading = '', first = '', second = ''] = analyticsAsCsv(document).split('\n');
  expect(heading.split(',')).toEqual([
    'loop_id',
    'iteration_number',
    'timestamp',
    'quality_score',
    'quality_delta',
    'tokens_used',
    'token_cost_usd',
    'execution_time_ms',
    'verification_status',
    'output_snapshot_path',
    'reflections',
  ]);
  const begin = (number: number) => `ralph-x-00000001,${number},2026-11-16T09:01:00.000Z,`;
  const reflections = '"fixed, half | of ""it"""';
  expect(first).toBe(`${begin(1)},,15,0.5,1000,skipped,iterations/001/attempt-1/stdout,${reflections}`);
  expect(second).toBe(`${begin(2)}100,,15,0.5,1000,passed,iterations/002/attempt-1/stdout,${reflections}`);
});

test('B099: a loop is exported as Markdown in which texts stay texts', () => {
  const page = analyticsAsMarkdown({ ...document, task_description: 'fix | <b>it</b> [x](http://x) @ana' });
  expect(page).toContain('fix \\| \\<b\\>it\\</b\\> \\[x\\](http://x) @\u200bana');
  expect(page).toContain('| 1 |  |  | 15 | 0.5 | 1000 | skipped | fixed, half \\| of "it" |');
  expect(page).toContain('| 2 | 100 |  | 15 | 0.5 | 1000 | passed |');
  expect(page).toContain('| quality | stable |');
});

const better = { ...document, iterations: [scored(1, 40), scored(2, 90)], total_cost_usd: 2, total_iterations: 2 };

function scored(iteration_number: number, quality_score: number, verification_status = 'failed') {
  return { loop_id: 'ralph-x-00000001', iteration_number, timestamp: 'now', quality_score, verification_status };
}

test('B099: several loops are exported as CSV and Markdown, and summarised', () => {
  const [heading = '', first = ''] = loopsAsCsv([better, document]).split('\n');
  expect(heading).toMatch(/^loop_id,task_description,status,reason,verified,start_time,/u);
  expect(first).toContain('ralph-x-00000001,"fix | it",');
  expect(loopsAsMarkdown([better, document])).toContain('| quality gained per loop | 50 |');
  expect(summariseLoops([better, document])).toEqual({
    total_loops_run: 2,
    average_iterations_per_loop: 1,
    average_quality_improvement: 50,
    average_cost_per_loop: 2,
  });
});

test('B099: what no loop says is missing from the summary, and never 0', () => {
  expect(summariseLoops([document])).toEqual({ total_loops_run: 1, average_iterations_per_loop: 0 });
  expect(summariseLoops([])).toEqual({ total_loops_run: 0 });
});

test.each([
  ['highest_quality', 2, 'the best of all'],
  ['highest_quality_verified', 3, 'the best of those that the checks verified'],
  ['most_recent_above_threshold', 4, 'the newest with a quality of at least 70'],
] as const)('A177 B097: %s selects iteration %d', (strategy, selected, reason) => {
  const iterations = [scored(1, 40), scored(2, 90), scored(3, 80, 'passed'), scored(4, 70), scored(5, 10)];
  const found = selectIteration({ ...document, iterations }, { strategy });
  expect(found).toMatchObject({ iteration_number: selected, fell_back: false, reason });
  expect(selectIteration({ ...document, iterations })?.iteration_number).toBe(3);
});

test('B097: if none qualifies, the best of all is selected, the earlier of equals; without any score, none is', () => {
  const iterations = [scored(1, 30), scored(2, 60), scored(3, 60)];
  const select = (strategy: SelectionStrategy) =>
    selectIteration({ ...document, iterations }, { strategy, threshold: 61 });
  const best = { iteration_number: 2, quality_score: 60, fell_back: true };
  expect([select('highest_quality_verified'), select('most_recent_above_threshold')]).toEqual([
    { ...best, reason: 'no iteration is verified; the best of all' },
    { ...best, reason: 'no iteration has a quality of at least 61; the best of all' },
  ]);
  expect(selectIteration({ ...document, iterations: [{ ...scored(1, 0), quality_measured: false }] })).toBeUndefined();
});

import { expect, test } from 'vitest';
import { edit, type IterationRecord, idleLoop } from '../../core/index.ts';
import { configSchema, type Quality } from '../../protocol/index.ts';
import { addToAnalytics, iterationsOfAnalytics, toAnalyticsDocument, toAnalyticsIteration } from './analytics.ts';
import { analyticsAsCsv, analyticsAsMarkdown, summariseLoops } from './analytics-report.ts';
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

test('B099: analytics are exported as CSV and Markdown, and summarised across loops', () => {
  expect(analyticsAsCsv(document)).toBe(
    `iteration_number,timestamp,quality_score,quality_delta,tokens_used,token_cost_usd,execution_time_ms,verification_status
1,2026-11-16T09:01:00.000Z,0,,15,0.5,1000,skipped
2,2026-11-16T09:01:00.000Z,100,,15,0.5,1000,passed
`,
  );
  expect(analyticsAsMarkdown(document)).toContain('| 2 | 100 |  | 15 | 0.5 | passed |');
  expect(analyticsAsMarkdown(document)).toContain('fix \\| it');
  expect(summariseLoops([document, document])).toEqual({
    total_loops_run: 2,
    average_iterations_per_loop: 0,
    average_quality_improvement: 100,
  });
  expect(summariseLoops([])).toMatchObject({ total_loops_run: 0, average_iterations_per_loop: 0 });
});

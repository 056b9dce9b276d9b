import * as z from 'zod';
import { type BestResult, bestResult, type IterationRecord, type Loop } from '../../core/index.ts';
import { limits, type Proof, type Usage, usedOf } from '../../protocol/index.ts';
import { given, metricsOf } from './document.ts';
import { qualityScore, qualityTrend } from './quality.ts';

/** How many iterations the file lists; the totals cover all. */
const maxListedIterations = 100;

const iterationSchema = z.looseObject({
  number: z.int(),
  attempt: z.int(),
  status: z.string(),
  quality_score: z.number().optional().catch(undefined),
});

/** One iteration in the analytics file. */
export type AnalyticsIteration = z.output<typeof iterationSchema>;

/** The iterations listed in an earlier file; empty if there is no readable file. */
export function iterationsOfAnalytics(document: unknown, loopId: string): readonly AnalyticsIteration[] {
  const schema = z.looseObject({
    loop_id: z.literal(loopId),
    iterations: z.array(iterationSchema).max(maxListedIterations),
  });
  const parsed = schema.safeParse(document);
  return parsed.success ? parsed.data.iterations : [];
}

/** The key figures of a finished iteration. */
export function toAnalyticsIteration({ number, attempt, status, startedAt, endedAt, result }: IterationRecord) {
  return {
    number,
    attempt,
    status,
    iteration_number: number,
    timestamp: endedAt ?? startedAt,
    started_at: startedAt,
    ...given('ended_at', endedAt),
    output_snapshot_path: `iterations/${String(number).padStart(3, '0')}/attempt-${attempt}`,
    ...(result && {
      execution_time_ms: Math.round(result.durationMs),
      ...given('quality_score', result.quality && qualityScore(result.quality)),
      ...given('tokens_used', result.usage && tokensOf(result.usage)),
      ...given('token_cost_usd', result.usage?.costUsd),
      reflections: result.summary === undefined ? [] : [result.summary],
      duration_ms: result.durationMs,
      progress: result.progressDetected,
      files_changed: result.changes.modified.length + result.changes.created.length + result.changes.deleted.length,
      ...given('tests_passed', result.tests?.passed),
      ...given('tests_failed', result.tests?.failed),
      ...given('verification_status', result.quality && verificationOf[result.quality.proof]),
      ...given('commit', result.quality?.commit?.id),
      ...given('context_usage_percent', result.contextUsagePercent),
    }),
  } satisfies AnalyticsIteration;
}

/** The tokens of a run, as the limit counts them; undefined if the agent reported none. */
function tokensOf(usage: Usage): number | undefined {
  const limit = limits.find(({ reported }) => reported?.total === 'tokens');
  return limit && usedOf(limit, usage);
}

/** The status in the terms of these documents. */
const verificationOf: Readonly<Record<Proof, 'passed' | 'failed' | 'skipped'>> = {
  passed: 'passed',
  partly: 'failed',
  unknown: 'skipped',
  refused: 'failed',
  tampered: 'failed',
};

/** Adds iterations to a bounded list; a newer entry replaces an older one of the same number. */
export function addToAnalytics(
  before: readonly AnalyticsIteration[],
  more: readonly AnalyticsIteration[],
): readonly AnalyticsIteration[] {
  const isReplaced = ({ number }: AnalyticsIteration) => more.some((each) => each.number === number);
  return [...before.filter((each) => !isReplaced(each)), ...more].slice(-maxListedIterations);
}

/** The results of a loop so far: totals and its newest iterations. Derived, so it may be deleted at any time. */
export function toAnalyticsDocument(
  loop: Loop,
  iterations: readonly AnalyticsIteration[],
  generatedAt: string,
): Record<string, unknown> {
  const { origin, outcome, totals } = loop;
  const scores = scoresOf(iterations);
  const numberAt = (position: number | undefined) =>
    position === undefined ? undefined : iterations[position]?.number;
  const trend = qualityTrend(scores);
  return {
    loop_id: loop.id,
    task_description: origin.task,
    ...given('start_time', origin.startedAt),
    ...given('end_time', outcome.endedAt),
    generated_at: generatedAt,
    total_iterations: totals.stats.iterations,
    ...given('optimal_iteration', numberAt(trend?.best)),
    ...given('final_iteration', iterations.at(-1)?.number),
    ...totalsOf(loop),
    diminishing_returns_detected: trend?.diminishedAt !== undefined,
    ...given('diminishing_returns_iteration', numberAt(trend?.diminishedAt)),
    ...given('quality_trajectory', trend?.trajectory),
    status: loop.status,
    ...given('reason', loop.outcome.reason),
    verified: loop.outcome.verified,
    metrics: metricsOf(loop),
    running_seconds: Math.round(loop.totals.runningMs / 1000),
    reboots: loop.totals.stats.reboots,
    recoveries: loop.journal.recoveries,
    last_progress_iteration: loop.progress.lastIteration,
    ...given('selected_iteration', loop.progress.best?.iteration),
    ...given('selection_reason', loop.progress.best && selectionReason(bestResult(loop))),
    iterations: iterations.map((iteration, index) => ({
      loop_id: loop.id,
      ...iteration,
      // Files of earlier releases lack these.
      iteration_number: iteration.number,
      timestamp: iteration['timestamp'] ?? iteration['ended_at'] ?? iteration['started_at'] ?? generatedAt,
      quality_score: scores[index] ?? 0,
      quality_delta: index === 0 ? 0 : (scores[index] ?? 0) - (scores[index - 1] ?? 0),
    })),
  };
}

/** An iteration without a judgement, such as a skipped one, leaves the work as good as it was. */
function scoresOf(iterations: readonly AnalyticsIteration[]): readonly number[] {
  let last = 0;
  return iterations.map(({ quality_score }) => {
    last = quality_score ?? last;
    return last;
  });
}

function totalsOf(loop: Loop): Record<string, unknown> {
  const { total_tokens, total_cost_usd } = metricsOf(loop);
  return {
    ...given('total_tokens', total_tokens),
    ...given('total_cost_usd', total_cost_usd),
    total_time_ms: Math.round(loop.totals.stats.totalExecutionMs),
  };
}

/** Why this iteration was selected. */
function selectionReason(best: BestResult | undefined): string {
  if (best === undefined) return 'no iteration is proven to be better';
  const { checks, tests } = best.quality;
  const counted = [
    ...(checks === undefined ? [] : [`${checks.passed} of ${checks.total} checks`]),
    ...(tests === undefined ? [] : [`${tests.passed} of ${tests.passed + tests.failed} tests`]),
  ].join(' and ');
  return best.kind === 'iteration' ? `${counted} passed` : `before the first iteration ${counted} passed`;
}

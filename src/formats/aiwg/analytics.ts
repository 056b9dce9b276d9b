import * as z from 'zod';
import { type BestResult, bestResult, type IterationRecord, type Loop, qualityScore } from '../../core/index.ts';
import { limitOf, type Proof, type Usage, usedOf } from '../../protocol/index.ts';
import { given, metricsOf } from './document.ts';
import { diminishingFrom, qualityDeltas, trajectoryOf } from './trajectory.ts';

/** How many iterations the file lists; the totals cover all. */
const maxListedIterations = 100;

const iterationSchema = z.looseObject({
  number: z.int(),
  attempt: z.int(),
  status: z.string(),
  quality_score: z.number().optional(),
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
  return parsed.success ? parsed.data.iterations.map(measuredOnly) : [];
}

/** A score that was only carried over from an earlier iteration is none. */
function measuredOnly({ quality_measured: isMeasured, ...iteration }: AnalyticsIteration): AnalyticsIteration {
  if (isMeasured !== false) return iteration;
  const { quality_score: _carried, ...unmeasured } = iteration;
  return unmeasured;
}

/** The key figures of a finished iteration. */
export function toAnalyticsIteration({ number, attempt, status, startedAt, endedAt, result }: IterationRecord) {
  return {
    number,
    attempt,
    status,
    iteration_number: number,
    timestamp: endedAt ?? startedAt,
    output_snapshot_path: `iterations/${String(number).padStart(3, '0')}/attempt-${attempt}/stdout`,
    started_at: startedAt,
    ...given('ended_at', endedAt),
    ...(result && {
      duration_ms: result.durationMs,
      execution_time_ms: Math.round(result.durationMs),
      progress: result.progressDetected,
      files_changed: result.changes.modified.length + result.changes.created.length + result.changes.deleted.length,
      ...given('tests_passed', result.tests?.passed),
      ...given('tests_failed', result.tests?.failed),
      ...given('verification_status', result.quality && verificationOf[result.quality.proof]),
      ...given('commit', result.quality?.commit?.id),
      ...given('context_usage_percent', result.contextUsagePercent),
      ...given('quality_score', result.quality && qualityScore(result.quality)),
      ...given('tokens_used', tokensIn(result.usage)),
      ...given('token_cost_usd', result.usage?.costUsd),
      ...given('reflections', result.summary === undefined ? undefined : [result.summary]),
    }),
  } satisfies AnalyticsIteration;
}

function tokensIn(usage: Usage | undefined): number | undefined {
  const limit = limitOf('max_tokens');
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

/** The results of a loop so far: totals, how its quality develops, and its newest iterations. Derived, so it may be deleted at any time. */
export function toAnalyticsDocument(
  loop: Loop,
  iterations: readonly AnalyticsIteration[],
  generatedAt: string,
): Record<string, unknown> {
  const deltas = qualityDeltas(iterations);
  const diminishing = diminishingFrom(iterations);
  const { startedAt, task } = loop.origin;
  return {
    loop_id: loop.id,
    generated_at: generatedAt,
    task,
    task_description: task,
    ...given('start_time', startedAt),
    ...given('end_time', loop.outcome.endedAt),
    status: loop.status,
    ...given('reason', loop.outcome.reason),
    verified: loop.outcome.verified,
    metrics: metricsOf(loop),
    ...totalsOf(loop),
    running_seconds: Math.round(loop.totals.runningMs / 1000),
    reboots: loop.totals.stats.reboots,
    recoveries: loop.journal.recoveries,
    last_progress_iteration: loop.progress.lastIteration,
    ...given('final_iteration', loop.position.finished === 0 ? undefined : loop.position.finished),
    ...given('optimal_iteration', loop.progress.best?.iteration),
    ...given('selected_iteration', loop.progress.best?.iteration),
    ...given('selection_reason', loop.progress.best && selectionReason(bestResult(loop))),
    quality_trajectory: trajectoryOf([...deltas.values()]),
    diminishing_returns_detected: diminishing !== undefined,
    ...given('diminishing_returns_iteration', diminishing),
    iterations: withScores(iterations).map((each) => ({
      ...each,
      loop_id: loop.id,
      iteration_number: each.number,
      timestamp: each['timestamp'] ?? each['ended_at'] ?? each['started_at'] ?? generatedAt,
      ...given('quality_delta', deltas.get(each.number)),
    })),
  };
}

/** The schema requires a score: without evidence the work counts as good as after the last iteration that had some. */
function withScores(iterations: readonly AnalyticsIteration[]): readonly AnalyticsIteration[] {
  let last = 0;
  return iterations.map((iteration) => {
    const { quality_score: score } = iteration;
    if (score === undefined) return { ...iteration, quality_score: last, quality_measured: false };
    last = score;
    return iteration;
  });
}

function totalsOf(loop: Loop): Record<string, unknown> {
  const { total_tokens, total_cost_usd } = metricsOf(loop);
  return {
    total_iterations: loop.totals.stats.iterations,
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

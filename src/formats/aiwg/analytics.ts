import * as z from 'zod';
import { type BestResult, bestResult, type IterationRecord, type Loop } from '../../core/index.ts';
import type { Proof } from '../../protocol/index.ts';
import { given, metricsOf } from './document.ts';

/** How many iterations the file lists; the totals cover all. */
const maxListedIterations = 100;

const iterationSchema = z.looseObject({ number: z.int(), attempt: z.int(), status: z.string() });

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
    started_at: startedAt,
    ...given('ended_at', endedAt),
    ...(result && {
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
  return {
    loop_id: loop.id,
    generated_at: generatedAt,
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
    iterations,
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

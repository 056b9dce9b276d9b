import * as z from 'zod';
import { bestReason, type IterationRecord, type Loop } from '../../core/index.ts';
import type { Proof } from '../../protocol/index.ts';
import { given, metricsOf } from './document.ts';

/** How many iterations the file lists; the totals are of all. */
const keptIterations = 100;

const iterationSchema = z.looseObject({ number: z.int(), attempt: z.int(), status: z.string() });

/** One iteration in the analytics file. */
export type AnalyticsIteration = z.output<typeof iterationSchema>;

/** The newest iterations that an earlier file lists; none when there is none that can be read. */
export function iterationsOfAnalytics(document: unknown, loopId: string): readonly AnalyticsIteration[] {
  const schema = z.looseObject({
    loop_id: z.literal(loopId),
    iterations: z.array(iterationSchema).max(keptIterations),
  });
  const parsed = schema.safeParse(document);
  return parsed.success ? parsed.data.iterations : [];
}

/** One iteration that is over, in a few numbers. */
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

/** In the words that these documents have for it. */
const verificationOf: Readonly<Record<Proof, 'passed' | 'failed' | 'skipped'>> = {
  passed: 'passed',
  partly: 'failed',
  unknown: 'skipped',
  refused: 'failed',
  tampered: 'failed',
};

/** Adds iterations to a list that stays bounded; a later word on one replaces the earlier. */
export function addToAnalytics(
  before: readonly AnalyticsIteration[],
  more: readonly AnalyticsIteration[],
): readonly AnalyticsIteration[] {
  const isReplaced = ({ number }: AnalyticsIteration) => more.some((each) => each.number === number);
  return [...before.filter((each) => !isReplaced(each)), ...more].slice(-keptIterations);
}

/** What a loop has come to so far: totals, and its newest iterations. Derived; may be deleted at any time. */
export function toAnalyticsDocument(
  loop: Loop,
  iterations: readonly AnalyticsIteration[],
  generatedAt: string,
): Record<string, unknown> {
  return {
    loop_id: loop.id,
    generated_at: generatedAt,
    status: loop.status,
    ...given('reason', loop.reason),
    verified: loop.verified,
    metrics: metricsOf(loop),
    running_seconds: Math.round(loop.runningMs / 1000),
    reboots: loop.stats.reboots,
    recoveries: loop.recoveries,
    last_progress_iteration: loop.lastProgressIteration,
    ...given('selected_iteration', loop.best?.iteration),
    ...given('selection_reason', loop.best && (bestReason(loop) ?? 'no iteration is proven to be better')),
    iterations,
  };
}

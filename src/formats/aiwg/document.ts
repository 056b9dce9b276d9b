import { formatDuration } from '../../base/index.ts';
import { configuredMode, describeDoubts, type Loop, warningsOf } from '../../core/index.ts';
import { encodeConfig } from '../../protocol/index.ts';
import { toStoredLoop } from '../snapshot/stored-loop.ts';
import { viewOf } from '../snapshot/view.ts';

/** The version of the AIWG state schema that `state.json` follows. */
export const aiwgVersion = '2.0.0';

/** The version of our own object inside it. */
const nativeFormat = 2;

/** "No limit" in a schema that has no word for it. */
const unlimited = 2_147_483_647;

/** What the document contains besides the loop itself. */
export interface DocumentDetails {
  /** The process that drives the loop; left out when nobody does. */
  readonly pid?: number;
  readonly lastCheckpoint?: string;
}

/**
 * The snapshot of a loop: a valid AIWG v2 document with one `ralphd` object that holds all of it.
 * Fields that may be null there are left out instead, so that a validator that knows no `nullable` agrees.
 */
export function toStateDocument(loop: Loop, details: DocumentDetails = {}): Record<string, unknown> {
  return {
    version: aiwgVersion,
    loop_id: loop.id,
    status: loop.status,
    iteration: loop.position.iteration,
    task: loop.origin.task,
    ...given('completion_criteria', criteriaOf(loop)),
    ...given('started_at', loop.origin.startedAt),
    ...given('last_updated', loop.journal.lastActivityAt),
    ...given('completed_at', loop.outcome.endedAt),
    owner: loop.origin.startedBy,
    ...given('pid', details.pid),
    working_directory: loop.origin.workingDirectory,
    configuration: configurationOf(loop),
    progress: progressOf(loop),
    metrics: metricsOf(loop),
    ...given('last_checkpoint', details.lastCheckpoint),
    ...given('error_context', errorOf(loop)),
    ralphd: {
      format: nativeFormat,
      seq: loop.journal.seq,
      epoch: loop.journal.epoch,
      uuid: loop.origin.uuid,
      phase: loop.phase,
      ...given('reason', loop.outcome.reason),
      ...given('message', loop.outcome.message),
      verified: loop.outcome.verified,
      proof: loop.outcome.proof ?? 'none',
      doubts: describeDoubts(loop),
      warnings: warningsOf(loop),
      unlimitedIterations: loop.config.maxIterations === 0,
      loop: toStoredLoop(loop, encodeConfig(loop.config)),
      // Last, so that whoever only wants to see the loop need not read the rest.
      view: viewOf(loop),
    },
  };
}

/** A field, or nothing: these documents leave out what they do not know. */
export function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [key in Name]?: Value });
}

/** What counts as done, in the one line that these documents have for it. */
export function criteriaOf({ gate: { checks } }: Loop): string | undefined {
  if (checks.length === 0) return undefined;
  return checks.map((check) => (typeof check === 'string' ? check : check.join(' '))).join(' && ');
}

/** The bounds of a loop in the units of these documents. */
export function configurationOf({ config }: Loop): Record<string, unknown> {
  return {
    max_iterations: config.maxIterations === 0 ? unlimited : config.maxIterations,
    ...given('timeout_minutes', config.maxTime === undefined ? undefined : Math.ceil(config.maxTime / 60_000)),
    interactive: configuredMode(config) !== 'unattended',
    auto_test: config.autoTest,
    checkpoint_interval: config.checkpointInterval,
    execution_mode: config.executionMode,
  };
}

function progressOf(loop: Loop): Record<string, unknown> {
  const checks = loop.verification.completionChecks.map(({ iteration, at, passed, output }) => ({
    iteration,
    timestamp: at,
    passed,
    output,
  }));
  return {
    completion_checks: checks,
    ...given('last_completion_check', checks.at(-1)),
    ...given('estimated_completion', estimateOf(loop)),
  };
}

/** When the loop will be over at the latest, from how long its iterations took; nothing before the first. */
function estimateOf({ status, config, totals: { stats } }: Loop): string | undefined {
  const left = config.maxIterations - stats.iterations;
  if (status !== 'running' || config.maxIterations === 0 || stats.iterations === 0) return undefined;
  const time = formatDuration(Math.round((left * stats.totalExecutionMs) / stats.iterations / 1000) * 1000);
  return `at most ${left} more iterations, about ${time}`;
}

/** The totals of a loop. */
export function metricsOf({ totals: { stats, spent } }: Loop): Record<string, unknown> {
  const seconds = stats.totalExecutionMs / 1000;
  const reportedTokens = spent.runs > spent.unreportedTokens;
  const reportedCost = spent.runs > spent.unreportedCost;
  return {
    total_iterations: stats.iterations,
    successful_iterations: stats.successfulIterations,
    failed_iterations: stats.failedIterations,
    ...given('total_tokens', reportedTokens ? spent.tokens : undefined),
    ...given('total_cost_usd', reportedCost ? spent.costUsd : undefined),
    total_duration_seconds: Math.round(seconds),
    ...given('average_iteration_time_seconds', stats.iterations === 0 ? undefined : seconds / stats.iterations),
  };
}

function errorOf({
  status,
  outcome: { message, endedAt },
  journal: { recoveries },
}: Loop): Record<string, unknown> | undefined {
  if ((status !== 'failed' && status !== 'crashed') || message === undefined) return undefined;
  return { error_message: message, ...given('error_timestamp', endedAt), recovery_attempted: recoveries > 0 };
}

import { formatDuration } from '../../base/index.ts';
import { configuredMode, describeDoubts, type Loop, warningsOf } from '../../core/index.ts';
import { encodeConfig } from '../../protocol/index.ts';
import { viewOf } from '../../views/index.ts';
import { toStoredLoop } from '../snapshot/stored-loop.ts';

/** The version of the AIWG state schema that `state.json` follows. */
export const aiwgVersion = '2.0.0';

/** The version of the `ralphd` object inside it. */
const nativeFormat = 2;

/** "No limit" in a schema that cannot express it. */
const unlimited = 2_147_483_647;

/** What the document contains besides the loop itself. */
export interface DocumentDetails {
  /** The process that runs the loop, if any. */
  readonly pid?: number;
  readonly lastCheckpoint?: string;
}

/**
 * The snapshot of a loop: a valid AIWG v2 document with one `ralphd` object that holds the full state.
 * Nullable fields are omitted, so that validators without support for `nullable` accept it.
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
      // Last, so that readers of the view need not parse the rest.
      view: viewOf(loop),
    },
  };
}

/** A field, or nothing: unknown values are omitted from these documents. */
export function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [key in Name]?: Value });
}

/** The completion criteria on the single line of these documents. */
export function criteriaOf({ gate: { checks } }: Loop): string | undefined {
  if (checks.length === 0) return undefined;
  return checks.map((check) => (typeof check === 'string' ? check : check.join(' '))).join(' && ');
}

/** The limits of a loop in the units of these documents. */
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

/** An upper estimate of the remaining time, from the duration of past iterations; undefined before the first. */
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

function errorOf(loop: Loop): Record<string, unknown> | undefined {
  const { message, endedAt } = loop.outcome;
  if ((loop.status !== 'failed' && loop.status !== 'crashed') || message === undefined) return undefined;
  return {
    error_message: message,
    ...given('error_timestamp', endedAt),
    ...given('stack_trace', traceOf(loop)),
    recovery_attempted: loop.journal.recoveries > 0,
  };
}

/** What led to the end of a loop: the failure of its last iteration, else what its checks printed. */
function traceOf({ signals: { lastFailure }, verification, position }: Loop): string | undefined {
  if (lastFailure !== undefined) return `iteration ${position.finished}: ${lastFailure.message}`;
  const last = verification.completionChecks.at(-1);
  return last === undefined || last.passed ? undefined : `the checks in iteration ${last.iteration}: ${last.output}`;
}

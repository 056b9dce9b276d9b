import { flakyTests, type Loop, recentlyFixed, standings } from '../../core/index.ts';
import type { CheckCommand } from '../../protocol/index.ts';

/** The version of the document format. */
export const tachikomaVersion = 1;

/** The status of a loop in Tachikoma's terms. */
export type TachikomaStatus = 'running' | 'paused' | 'rebooting' | 'stopped' | 'completed' | 'error';

/** Every status of a loop in Tachikoma's terms. */
export const tachikomaStatuses = [
  'running',
  'paused',
  'rebooting',
  'stopped',
  'completed',
  'error',
] as const satisfies readonly TachikomaStatus[];

/** A loop's state in Tachikoma's sections. */
export interface TachikomaDocument {
  /** Version of the format. */
  readonly version: number;
  /** The loop's id. */
  readonly loop_id: string;
  /** When the document was created, RFC 3339 UTC. */
  readonly saved_at: string;
  /** The status of the loop. */
  readonly core: {
    readonly status: TachikomaStatus;
    readonly iteration: number;
    readonly started_at: string | null;
    readonly last_activity: string | null;
    readonly working_dir: string;
    readonly prompt_path: string | null;
    /** Changes when the configuration does. */
    readonly config_hash: string;
  };
  /** The agent's sessions. */
  readonly session: {
    readonly current_session_id: string | null;
    readonly session_started_at: string | null;
    readonly session_iterations: number;
    /** 0 to 100; also 0 if the agent reports nothing. */
    readonly context_usage: number;
    readonly session_history: readonly {
      readonly session_id: string;
      readonly started_at: string;
      readonly ended_at: string;
      readonly iterations: number;
      readonly end_reason: string;
    }[];
  };
  /** What has been achieved so far. */
  readonly progress: {
    readonly iterations_since_progress: number;
    readonly last_progress_iteration: number | null;
    readonly recent_scores: readonly number[];
    readonly modified_files: readonly string[];
    /** The checks of the gate are the objectives: those that passed in the last run, and the others. */
    readonly completed_objectives: readonly string[];
    readonly pending_objectives: readonly string[];
  };
  /** The test results. */
  readonly tests: {
    readonly failure_streak: number;
    readonly passing_tests: readonly string[];
    readonly failing_tests: readonly string[];
    readonly flaky_tests: readonly string[];
    readonly recently_fixed: readonly string[];
  };
  /** How close each stop rule is. */
  readonly stop_conditions: {
    /** From 0 to 1, for each measurable rule. */
    readonly condition_progress: Readonly<Record<string, number>>;
    readonly last_evaluation: string | null;
  };
  /** Counters. */
  readonly metrics: {
    readonly total_iterations: number;
    readonly successful_iterations: number;
    readonly failed_iterations: number;
    readonly total_reboots: number;
    readonly total_execution_ms: number;
  };
  /** The agent, the phase, whether the completion is verified, and why the loop stopped. */
  readonly custom: Readonly<Record<string, unknown>>;
}

/** The state of a loop in Tachikoma's format. Shares no memory with the loop. */
export function toTachikomaDocument(loop: Loop, savedAt: string): TachikomaDocument {
  return {
    version: tachikomaVersion,
    loop_id: loop.id,
    saved_at: savedAt,
    core: {
      status: statusOf(loop),
      iteration: loop.position.iteration,
      started_at: loop.origin.startedAt ?? null,
      last_activity: loop.journal.lastActivityAt ?? null,
      working_dir: loop.origin.workingDirectory,
      prompt_path: loop.config.promptPath ?? null,
      config_hash: loop.configHash,
    },
    session: sessionOf(loop),
    progress: progressOf(loop),
    tests: testsOf(loop),
    stop_conditions: stopConditionsOf(loop),
    metrics: metricsOf(loop),
    custom: { agent: loop.origin.agent, phase: loop.phase, verified: loop.outcome.verified, ...reasonOf(loop) },
  };
}

/** A loop before its first fact has no state to persist and counts as running. */
function statusOf({ status, phase }: Loop): TachikomaStatus {
  switch (status) {
    case 'idle':
    case 'running':
      return phase === 'rebooting' ? 'rebooting' : 'running';
    case 'completing':
      return 'running';
    case 'paused':
    case 'completed':
      return status;
    case 'aborted':
      return 'stopped';
    case 'failed':
    case 'crashed':
      return 'error';
  }
}

function sessionOf({ session: { current: session, history: sessionHistory } }: Loop): TachikomaDocument['session'] {
  return {
    current_session_id: session?.id ?? null,
    session_started_at: session?.startedAt ?? null,
    session_iterations: session?.iterations ?? 0,
    context_usage: Math.min(100, Math.round(session?.contextPercent ?? 0)),
    session_history: sessionHistory.map(({ id, startedAt, endedAt, iterations, endReason }) => ({
      session_id: id ?? '',
      started_at: startedAt,
      ended_at: endedAt,
      iterations,
      end_reason: endReason,
    })),
  };
}

function progressOf(loop: Loop): TachikomaDocument['progress'] {
  const checks = loop.verification.latest?.result.checks ?? loop.verification.baseline?.checks ?? [];
  const passed = new Set(checks.filter(({ verdict }) => verdict === 'passed').map(({ command }) => command));
  const objectives = loop.gate.checks.map(textOf);
  return {
    iterations_since_progress: loop.totals.stats.noProgressCount,
    last_progress_iteration: loop.progress.lastIteration === 0 ? null : loop.progress.lastIteration,
    recent_scores: [...loop.progress.recentScores],
    modified_files: [...loop.handover.touchedFiles],
    completed_objectives: objectives.filter((objective) => passed.has(objective)),
    pending_objectives: objectives.filter((objective) => !passed.has(objective)),
  };
}

function textOf(check: CheckCommand): string {
  return typeof check === 'string' ? check : check.join(' ');
}

function testsOf({
  totals: { stats },
  tests: { latest: tests, memory: testMemory },
}: Loop): TachikomaDocument['tests'] {
  return {
    failure_streak: stats.testFailureStreak,
    passing_tests: [...(tests?.passing ?? [])],
    failing_tests: [...(tests?.failing ?? [])],
    flaky_tests: flakyTests(testMemory),
    recently_fixed: recentlyFixed(testMemory),
  };
}

function stopConditionsOf(loop: Loop): TachikomaDocument['stop_conditions'] {
  const rules = standings(loop);
  const measured = rules.flatMap(({ rule, key, near }) => (near === null ? [] : [[key ?? rule, near] as const]));
  const nearest = rules.toSorted((one, other) => (other.near ?? 0) - (one.near ?? 0))[0];
  return { condition_progress: Object.fromEntries(measured), last_evaluation: nearest?.evidence ?? null };
}

function metricsOf({ totals: { stats } }: Loop): TachikomaDocument['metrics'] {
  return {
    total_iterations: stats.iterations,
    successful_iterations: stats.successfulIterations,
    failed_iterations: stats.failedIterations,
    total_reboots: stats.reboots,
    total_execution_ms: stats.totalExecutionMs,
  };
}

function reasonOf({ outcome: { reason, message } }: Loop): Record<string, string> {
  return { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
}

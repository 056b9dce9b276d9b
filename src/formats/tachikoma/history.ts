import * as z from 'zod';
import { type Failure, failures } from '../../base/index.ts';
import type { IterationRecord, IterationResult } from '../../core/index.ts';
import type { TestCounts } from '../../protocol/index.ts';

/** The status of an iteration in Tachikoma's history. */
export type TachikomaIterationStatus =
  | 'pending'
  | 'pre_hooks'
  | 'executing'
  | 'post_hooks'
  | 'completed'
  | 'failed'
  | 'timed_out'
  | 'skipped';

const statuses = [
  'pending',
  'pre_hooks',
  'executing',
  'post_hooks',
  'completed',
  'failed',
  'timed_out',
  'skipped',
] as const satisfies readonly TachikomaIterationStatus[];

/** One iteration in Tachikoma's history. */
export interface TachikomaIteration {
  /** Its number in the loop. */
  readonly number: number;
  /** When it started, RFC 3339 UTC. */
  readonly started_at: string;
  /** When it ended. */
  readonly ended_at: string | null;
  /** Its status. */
  readonly status: TachikomaIterationStatus;
  /** Empty in what ralphd writes: the prompt of every attempt is in the loop's folder. */
  readonly prompt: string;
  /** Its result. */
  readonly result: TachikomaResult | null;
  /** Values about it; `error` says why it failed. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** The result of an iteration in Tachikoma's history. */
export interface TachikomaResult {
  /** -1 if the agent did not exit by itself. */
  readonly exit_code: number;
  /** Empty in what ralphd writes: all output is in the loop's folder. */
  readonly stdout: string;
  /** As for `stdout`. */
  readonly stderr: string;
  /** Files that the agent modified. */
  readonly files_modified: readonly string[];
  /** Files that it created. */
  readonly files_created: readonly string[];
  /** Files that it deleted. */
  readonly files_deleted: readonly string[];
  /** Whether test results were found. */
  readonly tests_run: boolean;
  /** The test results. */
  readonly test_results: TachikomaTests | null;
  /** How full the session's context is. */
  readonly context_usage_percent: number;
  /** Whether it made progress. */
  readonly progress_detected: boolean;
  /** The agent's own summary. */
  readonly summary: string | null;
  /** How long it took. */
  readonly duration_ms: number;
}

/** The tests of an iteration in Tachikoma's history. */
export interface TachikomaTests {
  /** How many tests there were. */
  readonly total: number;
  /** How many passed. */
  readonly passed: number;
  /** How many failed. */
  readonly failed: number;
  /** How many did not run. */
  readonly skipped: number;
  /** The tests that the run named. */
  readonly details: readonly {
    /** Its name. */
    readonly name: string;
    /** Its result. */
    readonly status: 'passed' | 'failed' | 'skipped' | 'error';
    /** How long it took; 0 if that is unknown. */
    readonly duration_ms: number;
    /** Why it failed. */
    readonly error: string | null;
  }[];
}

/** The status of an iteration; verification is part of its execution there. */
export function toTachikomaIterationStatus(status: IterationRecord['status']): TachikomaIterationStatus {
  return status === 'verifying' ? 'executing' : status;
}

/** An iteration of a loop in Tachikoma's history. */
export function toTachikomaIteration(record: IterationRecord): TachikomaIteration {
  const { number, startedAt, endedAt, status, metadata, result } = record;
  return {
    number,
    started_at: startedAt,
    ended_at: endedAt ?? null,
    status: toTachikomaIterationStatus(status),
    prompt: '',
    result: result === undefined ? null : resultOf(result),
    metadata: { ...metadata },
  };
}

function resultOf(result: IterationResult): TachikomaResult {
  const { changes, tests } = result;
  return {
    exit_code: result.exitCode ?? -1,
    stdout: '',
    stderr: '',
    files_modified: [...changes.modified],
    files_created: [...changes.created],
    files_deleted: [...changes.deleted],
    tests_run: tests !== undefined,
    test_results: tests === undefined ? null : testsOf(tests),
    context_usage_percent: Math.min(100, Math.round(result.contextUsagePercent ?? 0)),
    progress_detected: result.progressDetected === true,
    summary: result.summary ?? null,
    duration_ms: result.durationMs,
  };
}

function testsOf(tests: TestCounts): TachikomaTests {
  const { total, passed, failed, skipped, failing, passing = [], failures: causes = [] } = tests;
  const errors = new Map(causes.map(({ name, error }) => [name, error]));
  const detail = (name: string, status: 'passed' | 'failed') => ({
    name,
    status,
    duration_ms: 0,
    error: errors.get(name) ?? null,
  });
  return {
    total,
    passed,
    failed,
    skipped,
    details: [...failing.map((name) => detail(name, 'failed')), ...passing.map((name) => detail(name, 'passed'))],
  };
}

/** A history that was read, or why it was not. */
export type TachikomaHistoryReading =
  | { readonly ok: true; readonly iterations: readonly TachikomaIteration[] }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Reads a history file. A file that is damaged anywhere is refused as a whole.
 *
 * @param name how messages refer to it.
 */
export function readTachikomaHistory(text: string, name: string): TachikomaHistoryReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, failure: failures.documentDamaged(name, 'it is not JSON') };
  }
  const read = historySchema.safeParse(value);
  if (read.success) return { ok: true, iterations: read.data };
  const place = read.error.issues[0]?.path.join('.') ?? '';
  const why = place === '' ? 'it is not a list of iterations' : `"${place}" is missing or wrong`;
  return { ok: false, failure: failures.documentDamaged(name, why) };
}

const whole = z.int().min(0);
const instant = z.iso.datetime({ offset: true });
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? null);

const testsSchema = z.object({
  total: whole,
  passed: whole,
  failed: whole,
  skipped: whole,
  details: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['passed', 'failed', 'skipped', 'error']),
      duration_ms: whole,
      error: orNull(z.string()),
    }),
  ),
});

const resultSchema = z.object({
  exit_code: z.int(),
  stdout: z.string(),
  stderr: z.string(),
  files_modified: z.array(z.string()),
  files_created: z.array(z.string()),
  files_deleted: z.array(z.string()),
  tests_run: z.boolean(),
  test_results: orNull(testsSchema),
  context_usage_percent: whole,
  progress_detected: z.boolean(),
  summary: orNull(z.string()),
  duration_ms: whole,
});

const historySchema = z.array(
  z.object({
    number: whole,
    started_at: instant,
    ended_at: orNull(instant),
    status: z.enum(statuses),
    prompt: z.string(),
    result: orNull(resultSchema),
    metadata: z.record(z.string(), z.string()),
  }),
);

import * as z from 'zod';
import { type Failure, failures } from '../../base/index.ts';
import type { IterationRecord, IterationResult } from '../../core/index.ts';
import type { TestCounts } from '../../protocol/index.ts';

/** The statuses of an iteration in Tachikoma's history. */
export const tachikomaIterationStatuses = [
  'pending',
  'pre_hooks',
  'executing',
  'post_hooks',
  'completed',
  'failed',
  'timed_out',
  'skipped',
] as const;

/** One status of an iteration in Tachikoma's history. */
export type TachikomaIterationStatus = (typeof tachikomaIterationStatuses)[number];

/** One iteration in Tachikoma's history. */
export interface TachikomaIteration {
  readonly number: number;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly status: TachikomaIterationStatus;
  /** Empty in what ralphd writes: the prompt of every attempt is in the loop's folder. */
  readonly prompt: string;
  readonly result: TachikomaResult | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The result of an iteration in Tachikoma's history. */
export interface TachikomaResult {
  /** -1 if the agent did not exit by itself. */
  readonly exit_code: number;
  /** Empty in what ralphd writes: all output is in the loop's folder. */
  readonly stdout: string;
  readonly stderr: string;
  readonly files_modified: readonly string[];
  readonly files_created: readonly string[];
  readonly files_deleted: readonly string[];
  readonly tests_run: boolean;
  readonly test_results: TachikomaTests | null;
  readonly context_usage_percent: number;
  readonly progress_detected: boolean;
  readonly summary: string | null;
  readonly duration_ms: number;
}

/** The tests of an iteration in Tachikoma's history. */
export interface TachikomaTests {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly details: readonly {
    readonly name: string;
    readonly status: 'passed' | 'failed' | 'skipped' | 'error';
    readonly duration_ms: number;
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
    status: z.enum(tachikomaIterationStatuses),
    prompt: z.string(),
    result: orNull(resultSchema),
    metadata: z.record(z.string(), z.string()),
  }),
);

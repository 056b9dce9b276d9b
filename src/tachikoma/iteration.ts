import { testSuccessRate } from '../core/index.ts';
import type { TachikomaIteration, TachikomaResult } from '../formats/index.ts';

/** The statuses of an iteration. */
export const IterationStatus = {
  /** It has not begun. */
  Pending: 'pending',
  /** Hooks run before it. */
  PreHooks: 'pre_hooks',
  /** The agent is at work, or its work is being verified. */
  Executing: 'executing',
  /** Hooks run after it. */
  PostHooks: 'post_hooks',
  /** It is over. */
  Completed: 'completed',
  /** It failed. */
  Failed: 'failed',
  /** It took too long and was ended. */
  TimedOut: 'timed_out',
  /** It was skipped. */
  Skipped: 'skipped',
} as const;

/** The status of an iteration. */
export type IterationStatus = (typeof IterationStatus)[keyof typeof IterationStatus];

/** The results of a test. */
export const TestStatus = {
  /** It passed. */
  Passed: 'passed',
  /** It failed. */
  Failed: 'failed',
  /** It did not run. */
  Skipped: 'skipped',
  /** It could not run to its end. */
  Error: 'error',
} as const;

/** The result of a test. */
export type TestStatus = (typeof TestStatus)[keyof typeof TestStatus];

/** One test of a run. */
export interface TestDetail {
  /** Its name. */
  name: string;
  /** Its result. */
  status: TestStatus;
  /** How long it took; 0 if that is unknown. */
  durationMs: number;
  /** Why it failed. */
  error?: string;
}

/** The results of a test run. */
export class TestResults {
  /** How many tests there were. */
  readonly total: number;
  /** How many passed. */
  readonly passed: number;
  /** How many failed. */
  readonly failed: number;
  /** How many did not run. */
  readonly skipped: number;
  /** The tests that the run named. */
  readonly details: readonly TestDetail[];

  /** @param results the counts, and the tests that the run named. */
  constructor(results: {
    readonly total: number;
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    readonly details?: readonly TestDetail[];
  }) {
    this.total = results.total;
    this.passed = results.passed;
    this.failed = results.failed;
    this.skipped = results.skipped;
    this.details = results.details ?? [];
  }

  /** Whether no test failed. */
  allPassed(): boolean {
    return this.failed === 0;
  }

  /** Share of the tests that passed, in percent; 100 if there were none. */
  successRate(): number {
    return testSuccessRate(this);
  }
}

/** What one run of the agent came to. */
export interface IterationResult {
  /** The agent's exit code; -1 if it did not exit by itself. */
  exitCode: number;
  /** What it printed; of long output only the end. */
  stdout: string;
  /** What it printed as errors; of long output only the end. */
  stderr: string;
  /** Files that it modified. */
  filesModified: string[];
  /** Files that it created. */
  filesCreated: string[];
  /** Files that it deleted. */
  filesDeleted: string[];
  /** Whether test results were found. */
  testsRun: boolean;
  /** The test results. */
  testResults?: TestResults;
  /** How full the session's context is; 0 if the agent does not report it. */
  contextUsagePercent: number;
  /** Whether it changed files or improved the tests. Tests that passed before and still do are no progress. */
  progressDetected: boolean;
  /** The agent's own summary. */
  summary?: string;
  /** How long it took. */
  durationMs: number;
}

/** One iteration of a loop. */
export class Iteration {
  /** Its number in the loop. */
  readonly number: number;
  /** The prompt. */
  readonly prompt: string;
  /** When it started. */
  startedAt: Date;
  /** When it ended; undefined before. */
  endedAt: Date | undefined;
  /** Its status. */
  status: IterationStatus = 'pending';
  /** Its result; undefined before, and if there is none. */
  result: IterationResult | undefined;
  /** Values about it; `error` says why it failed. */
  metadata: Record<string, string> = {};

  /**
   * @param number its number in the loop.
   * @param prompt the prompt to send.
   */
  constructor(number: number, prompt: string) {
    this.number = number;
    this.prompt = prompt;
    this.startedAt = new Date();
  }

  /** How long it took in milliseconds; undefined before it has ended. */
  duration(): number | undefined {
    return this.endedAt === undefined ? undefined : Math.max(0, this.endedAt.getTime() - this.startedAt.getTime());
  }

  /** Notes its result. */
  complete(result: IterationResult): void {
    this.#end('completed');
    this.result = result;
  }

  /** Notes that it failed, and why. */
  fail(error: string): void {
    this.#end('failed');
    this.metadata['error'] = error;
  }

  /** Notes that it took too long. */
  timeout(): void {
    this.#end('timed_out');
  }

  /** Notes that it was skipped. */
  skip(): void {
    this.#end('skipped');
  }

  /** The iteration as it is stored. */
  toJSON(): TachikomaIteration {
    return {
      number: this.number,
      started_at: this.startedAt.toISOString(),
      ended_at: this.endedAt?.toISOString() ?? null,
      status: this.status,
      prompt: this.prompt,
      result: this.result === undefined ? null : storedResult(this.result),
      metadata: { ...this.metadata },
    };
  }

  /** An iteration from what `toJSON` returned. */
  static fromJSON(stored: TachikomaIteration): Iteration {
    const iteration = new Iteration(stored.number, stored.prompt);
    iteration.startedAt = new Date(stored.started_at);
    iteration.endedAt = stored.ended_at === null ? undefined : new Date(stored.ended_at);
    iteration.status = stored.status;
    iteration.result = stored.result === null ? undefined : resultOf(stored.result);
    iteration.metadata = { ...stored.metadata };
    return iteration;
  }

  #end(status: IterationStatus): void {
    this.endedAt = new Date();
    this.status = status;
  }
}

function storedResult(result: IterationResult): TachikomaResult {
  const { testResults: tests } = result;
  return {
    exit_code: result.exitCode,
    stdout: result.stdout,
    stderr: result.stderr,
    files_modified: [...result.filesModified],
    files_created: [...result.filesCreated],
    files_deleted: [...result.filesDeleted],
    tests_run: result.testsRun,
    test_results:
      tests === undefined
        ? null
        : {
            total: tests.total,
            passed: tests.passed,
            failed: tests.failed,
            skipped: tests.skipped,
            details: tests.details.map(({ name, status, durationMs, error }) => ({
              name,
              status,
              duration_ms: durationMs,
              error: error ?? null,
            })),
          },
    context_usage_percent: result.contextUsagePercent,
    progress_detected: result.progressDetected,
    summary: result.summary ?? null,
    duration_ms: result.durationMs,
  };
}

/** A result from its stored form. */
export function resultOf(stored: TachikomaResult): IterationResult {
  const { test_results: tests } = stored;
  return {
    exitCode: stored.exit_code,
    stdout: stored.stdout,
    stderr: stored.stderr,
    filesModified: [...stored.files_modified],
    filesCreated: [...stored.files_created],
    filesDeleted: [...stored.files_deleted],
    testsRun: stored.tests_run,
    ...(tests === null
      ? {}
      : {
          testResults: new TestResults({
            ...tests,
            details: tests.details.map(({ name, status, duration_ms: durationMs, error }) => ({
              name,
              status,
              durationMs,
              ...(error === null ? {} : { error }),
            })),
          }),
        }),
    contextUsagePercent: stored.context_usage_percent,
    progressDetected: stored.progress_detected,
    ...(stored.summary === null ? {} : { summary: stored.summary }),
    durationMs: stored.duration_ms,
  };
}

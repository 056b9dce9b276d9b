import {
  type Changes,
  type FactData,
  type IterationStatus,
  mergeHookData,
  type Phase,
  type Quality,
  type RecordedFact,
  type TestCounts,
  type TestHints,
  type Usage,
} from '../../protocol/index.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';

/** The result of one agent run and of judging it. */
export interface IterationResult {
  /** Exit code of the agent; missing when it did not exit by itself. */
  readonly exitCode?: number;
  /** What the agent changed in the work tree. */
  readonly changes: Changes;
  /** Test counts of the checks; missing when no tests were counted. */
  readonly tests?: TestCounts;
  /** Test counts that the agent's own output shows; hints, which prove nothing. Missing when it shows none. */
  readonly testHints?: TestHints;
  /** Whether the iteration made progress; `null` when that could not be determined. */
  readonly progressDetected: boolean | null;
  /** How good the work was at its end; missing for an iteration that was skipped. */
  readonly quality?: Quality;
  /** How full the context window of the session was; missing when the agent does not report it. */
  readonly contextUsagePercent?: number;
  /** Tokens, cost and tool calls, as far as the agent reports them. */
  readonly usage?: Usage;
  /** The end of the agent's answer, shortened. */
  readonly summary?: string;
  /** How long the iteration took. */
  readonly durationMs: number;
}

/** One iteration in the history. Output stays on disk. */
export interface IterationRecord {
  /** Number of the iteration, from 1. */
  readonly number: number;
  /** Number of the attempt at it, from 1. */
  readonly attempt: number;
  /** When the attempt started, RFC 3339 UTC. */
  readonly startedAt: string;
  /** When it ended; missing while it is under way. */
  readonly endedAt?: string;
  /** Its current status, or how it ended. */
  readonly status: IterationStatus;
  /** Its result; missing while it is under way. */
  readonly result?: IterationResult;
  /** Values that hooks gave it. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Totals over all iterations, including those no longer in memory. */
export interface HistorySummary {
  /** Finished iterations. */
  readonly total: number;
  /** Those that completed. */
  readonly successful: number;
  /** Those that failed. */
  readonly failed: number;
  /** Those that were ended because they took too long. */
  readonly timedOut: number;
  /** Those that were skipped by command. */
  readonly skipped: number;
  /** How long they took together. */
  readonly totalDurationMs: number;
  /** Files that were modified, summed over iterations. */
  readonly filesModified: number;
  /** Files that were created, summed over iterations. */
  readonly filesCreated: number;
  /** Tests that ran, summed over iterations. */
  readonly testsRun: number;
  /** Tests that passed, summed over iterations. */
  readonly testsPassed: number;
  /** Tests that failed, summed over iterations. */
  readonly testsFailed: number;
}

/** The newest iterations and the totals of all. */
export interface IterationHistory {
  /** Totals over all iterations. */
  readonly summary: HistorySummary;
  /** Oldest first, at most as many as the configuration allows. */
  readonly records: readonly IterationRecord[];
  /** How many records are kept. */
  readonly maxInMemory: number;
}

const emptySummary: HistorySummary = {
  total: 0,
  successful: 0,
  failed: 0,
  timedOut: 0,
  skipped: 0,
  totalDurationMs: 0,
  filesModified: 0,
  filesCreated: 0,
  testsRun: 0,
  testsPassed: 0,
  testsFailed: 0,
};

/** An empty history. */
export function emptyHistory(maxInMemory = 100): IterationHistory {
  return { summary: emptySummary, records: [], maxInMemory };
}

/** Adds a finished iteration: the totals grow, and the oldest record beyond the bound is dropped. */
export function addIteration(history: IterationHistory, record: IterationRecord): IterationHistory {
  const records = [...history.records, record].slice(-Math.max(1, history.maxInMemory));
  return { ...history, records, summary: addToSummary(history.summary, record) };
}

/** The newest iterations, newest first. */
export function lastIterations({ records }: IterationHistory, count: number): readonly IterationRecord[] {
  return count <= 0 ? [] : records.slice(-count).reverse();
}

/** One iteration by its number. */
export function iterationByNumber({ records }: IterationHistory, number: number): IterationRecord | undefined {
  return records.find((record) => record.number === number);
}

/** The iterations for which something holds. */
export function iterationsWhere(
  { records }: IterationHistory,
  holds: (record: IterationRecord) => boolean,
): readonly IterationRecord[] {
  return records.filter(holds);
}

/** Failed and timed-out iterations backwards to the last completed one; others neither count nor break it. */
export function failureStreak({ records }: { readonly records: readonly Pick<IterationRecord, 'status'>[] }): number {
  let streak = 0;
  for (const { status } of records.toReversed()) {
    if (status === 'completed') return streak;
    if (status === 'failed' || status === 'timed_out') streak += 1;
  }
  return streak;
}

/** The iteration that is under way, as far as it has progressed. */
export function openRecord({ open }: HistoryFold): IterationRecord | undefined {
  if (open === undefined) return undefined;
  const { number, attempt, startedAt, status, data = {} } = open;
  return { number, attempt, startedAt, status, metadata: data };
}

/** Rebuilds the history from a journal, totals included. */
export function historyOf(facts: Iterable<RecordedFact>, maxInMemory = 100): IterationHistory {
  let fold: HistoryFold = { history: emptyHistory(maxInMemory) };
  for (const fact of facts) fold = foldHistory(fold, fact);
  return fold.history;
}

/** A history that is being followed, with the current iteration. */
export interface HistoryFold {
  readonly history: IterationHistory;
  readonly open?: OpenIteration;
}

/** Follows a loop fact by fact. */
export function foldHistory({ history, open }: HistoryFold, fact: RecordedFact): HistoryFold {
  if (fact.type === 'iteration.started') {
    const { iteration: number, attempt } = fact.data;
    return { history, open: { number, attempt, startedAt: fact.at, status: 'pending' } };
  }
  if (open === undefined) return { history };
  switch (fact.type) {
    case 'hooks.started':
      return { history, open: { ...open, status: fact.data.point === 'pre_iteration' ? 'pre_hooks' : 'post_hooks' } };
    case 'hooks.finished':
      return { history, open: { ...open, data: mergeHookData(open.data, fact.data.data) } };
    case 'agent.started':
      return { history, open: { ...open, status: 'executing' } };
    case 'gate.started':
      return { history, open: { ...open, status: 'verifying' } };
    case 'agent.finished':
      return { history, open: { ...open, status: 'verifying', run: fact.data } };
    case 'gate.finished':
      return { history, open: { ...open, gate: fact.data } };
    case 'iteration.finished':
      return { history: addIteration(history, closeIteration(open, fact.data, fact.at)) };
    case 'iteration.interrupted':
      return { history };
    default:
      return { history, open };
  }
}

/** What is known about an unfinished iteration. */
export interface OpenIteration {
  readonly number: number;
  readonly attempt: number;
  readonly startedAt: string;
  readonly status: IterationStatus;
  /** Values that hooks gave it. */
  readonly data?: Readonly<Record<string, string>>;
  readonly run?: FactData<'agent.finished'>;
  readonly gate?: FactData<'gate.finished'>;
}

/** The iteration under way, from the loop's state. */
export function openIterationOf({ position: { current }, phase }: Loop): OpenIteration | undefined {
  if (current === undefined) return undefined;
  const { iteration, attempt, startedAt, hooks, execution, gate } = current;
  return {
    number: iteration,
    attempt,
    startedAt,
    status: statusIn(current, phase),
    ...(hooks && { data: hooks.data }),
    ...(execution && { run: { iteration, attempt, ...execution } }),
    ...(gate && { gate: { iteration, attempt, ...gate, checks: [...gate.checks] } }),
  };
}

function statusIn({ stage, hooks }: CurrentAttempt, phase: Phase): IterationStatus {
  if (stage === 'begun') return hooks !== undefined || phase === 'pre_hooks' ? 'pre_hooks' : 'pending';
  if (phase === 'post_hooks') return 'post_hooks';
  return stage === 'executing' ? 'executing' : 'verifying';
}

function closeIteration(
  { startedAt, run, gate, data: hookData }: OpenIteration,
  data: FactData<'iteration.finished'>,
  endedAt: string,
): IterationRecord {
  const context = run?.usage?.context;
  return {
    number: data.iteration,
    attempt: data.attempt,
    startedAt,
    endedAt,
    status: data.status,
    metadata: { ...hookData, ...(data.failure === undefined ? {} : { error: data.failure.message }) },
    ...(run === undefined
      ? {}
      : {
          result: {
            ...(run.ending.kind === 'exited' ? { exitCode: run.ending.code } : {}),
            changes: run.changes,
            ...(gate?.tests === undefined ? {} : { tests: gate.tests }),
            ...(run.testHints === undefined ? {} : { testHints: run.testHints }),
            progressDetected: data.progress.made,
            ...(data.quality === undefined ? {} : { quality: data.quality }),
            ...(context === undefined ? {} : { contextUsagePercent: (100 * context.used) / context.size }),
            ...(run.usage === undefined ? {} : { usage: run.usage }),
            ...(run.summary === undefined ? {} : { summary: run.summary }),
            durationMs: data.durationMs,
          },
        }),
  };
}

function addToSummary(summary: HistorySummary, { status, result }: IterationRecord): HistorySummary {
  return {
    total: summary.total + 1,
    successful: summary.successful + (status === 'completed' ? 1 : 0),
    failed: summary.failed + (status === 'failed' ? 1 : 0),
    timedOut: summary.timedOut + (status === 'timed_out' ? 1 : 0),
    skipped: summary.skipped + (status === 'skipped' ? 1 : 0),
    totalDurationMs: summary.totalDurationMs + (result?.durationMs ?? 0),
    filesModified: summary.filesModified + (result?.changes.modified.length ?? 0),
    filesCreated: summary.filesCreated + (result?.changes.created.length ?? 0),
    testsRun: summary.testsRun + (result?.tests?.total ?? 0),
    testsPassed: summary.testsPassed + (result?.tests?.passed ?? 0),
    testsFailed: summary.testsFailed + (result?.tests?.failed ?? 0),
  };
}

/** How long a finished iteration took. */
export function iterationDurationMs({ startedAt, endedAt }: IterationRecord): number | undefined {
  return endedAt === undefined ? undefined : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}

/** Share of the tests that passed, in percent; 100 when no tests ran. */
export function testSuccessRate({ total, passed }: Pick<TestCounts, 'total' | 'passed'>): number {
  return total === 0 ? 100 : (100 * passed) / total;
}

import type { LoopState, StopReason } from '../../protocol/index.ts';
import type { Guidance } from '../state/commands.ts';
import { guidanceOf } from '../state/guidance.ts';
import type { Loop } from '../state/loop.ts';
import type { LoopStatsSnapshot } from '../state/stats.ts';
import type { IterationRecord } from './history.ts';
import { runnerState } from './status.ts';

/** A loop at a glance, in the runner's terms. */
export interface LoopContext {
  /** The loop's id. */
  readonly id: string;
  /** What the runner is doing. */
  readonly state: LoopState;
  /** The current counters. */
  readonly stats: LoopStatsSnapshot;
  /** When the loop started, RFC 3339 UTC; missing before that. */
  readonly startedAt?: string;
  /** When its newest event was recorded. */
  readonly lastActivityAt?: string;
  /** Why it stopped or paused; missing while it runs. */
  readonly stopReason?: StopReason;
  /** The stop reason in words. */
  readonly stopMessage?: string;
  /** The guidance that the loop has, by number. */
  readonly guidance: readonly Guidance[];
}

/** The result of an iteration, for a listener. */
export interface IterationOutcome {
  /** Number of the iteration. */
  readonly iteration: number;
  /** How long it took. */
  readonly durationMs: number;
  /** `null` when it could not be determined. */
  readonly madeProgress: boolean | null;
  /** Whether the session is so full that the next iteration gets a fresh one. */
  readonly needsReboot: boolean;
  /** Missing when no tests ran. */
  readonly testsPassed?: boolean;
  /** How many files the agent changed. */
  readonly filesChanged: number;
}

/** The outcome of a finished iteration; the redline decides whether its session needs a reboot. */
export function outcomeOf({ number, result }: IterationRecord, redlinePercent: number): IterationOutcome {
  const { changes, tests, contextUsagePercent, durationMs, progressDetected } = result ?? {};
  return {
    iteration: number,
    durationMs: durationMs ?? 0,
    madeProgress: progressDetected ?? null,
    needsReboot: contextUsagePercent !== undefined && contextUsagePercent >= redlinePercent,
    ...(tests === undefined ? {} : { testsPassed: tests.total > 0 && tests.failed === 0 }),
    filesChanged: changes?.count ?? 0,
  };
}

/** The loop at a glance. */
export function contextOf(loop: Loop): LoopContext {
  return {
    id: loop.id,
    state: runnerState(loop.status, loop.phase),
    stats: loop.totals.stats,
    ...(loop.origin.startedAt === undefined ? {} : { startedAt: loop.origin.startedAt }),
    ...(loop.journal.lastActivityAt === undefined ? {} : { lastActivityAt: loop.journal.lastActivityAt }),
    ...(loop.outcome.reason === undefined ? {} : { stopReason: loop.outcome.reason }),
    ...(loop.outcome.message === undefined ? {} : { stopMessage: loop.outcome.message }),
    guidance: guidanceOf(loop),
  };
}

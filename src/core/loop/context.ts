import type { LoopState, StopReason } from '../../protocol/index.ts';
import type { IterationRecord } from './history.ts';
import type { Loop } from './loop.ts';
import type { LoopStatsSnapshot } from './stats.ts';
import { runnerState } from './status.ts';

/** A loop at a glance, in the runner's words. */
export interface LoopContext {
  readonly id: string;
  readonly state: LoopState;
  readonly stats: LoopStatsSnapshot;
  readonly startedAt?: string;
  readonly lastActivityAt?: string;
  readonly stopReason?: StopReason;
  /** The stop reason in words. */
  readonly stopMessage?: string;
}

/** What an iteration came to, for a listener. */
export interface IterationOutcome {
  readonly iteration: number;
  readonly durationMs: number;
  /** `null` when it could not be told. */
  readonly madeProgress: boolean | null;
  readonly needsReboot: boolean;
  /** Missing when no tests ran. */
  readonly testsPassed?: boolean;
  readonly filesChanged: number;
}

/** The outcome of an iteration that is over; the redline decides whether its session needs a reboot. */
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
    stats: loop.stats,
    ...(loop.startedAt === undefined ? {} : { startedAt: loop.startedAt }),
    ...(loop.lastActivityAt === undefined ? {} : { lastActivityAt: loop.lastActivityAt }),
    ...(loop.reason === undefined ? {} : { stopReason: loop.reason }),
    ...(loop.message === undefined ? {} : { stopMessage: loop.message }),
  };
}

import {
  canPause,
  canResume,
  canStart,
  isActiveState,
  isTerminalState,
  type LoopStatsSnapshot,
} from '../core/index.ts';
import type { LoopState as RunnerState } from '../protocol/index.ts';
import { LoopId } from './loop-id.ts';

/** The states of a loop runner, and what is possible in each. */
export const LoopState = {
  /** The loop has not started. */
  Idle: 'idle',
  /** The loop is at work. */
  Running: 'running',
  /** The loop is paused. */
  Paused: 'paused',
  /** The loop is changing to a fresh session. */
  Rebooting: 'rebooting',
  /** The task is done. */
  Completed: 'completed',
  /** The loop failed: a limit, a stop rule or an error ended it. */
  Error: 'error',
  /** A user stopped the loop. */
  Stopped: 'stopped',
  /** Whether the loop has ended: completed, error or stopped. */
  isTerminal: isTerminalState,
  /** Whether the loop is at work: running or rebooting. */
  isActive: isActiveState,
  /** Whether the loop can be started: from idle, and as a new loop from stopped and error. */
  canStart,
  /** Whether the loop can be paused: while it is running. */
  canPause,
  /** Whether the loop can be resumed: while it is paused. */
  canResume,
} as const;

/** The state of a loop runner. */
export type LoopState = RunnerState;

/** The counters of a loop. */
export class LoopStats {
  /** Finished iterations. */
  iterations = 0;
  /** Those that made progress. */
  successfulIterations = 0;
  /** Those that failed. */
  failedIterations = 0;
  /** Changes to a fresh session. */
  reboots = 0;
  /** Time of execution in milliseconds. */
  totalExecutionMs = 0;
  /** Test failures in a row. */
  testFailureStreak = 0;
  /** Iterations in a row without progress. */
  noProgressCount = 0;
  /** Failed iterations in a row. */
  iterationFailureStreak = 0;

  /** Counts an iteration. */
  incrementIterations(): void {
    this.iterations += 1;
  }

  /** Counts an iteration with progress, which ends all streaks. */
  recordSuccess(): void {
    this.successfulIterations += 1;
    this.iterationFailureStreak = 0;
    this.testFailureStreak = 0;
    this.noProgressCount = 0;
  }

  /** Counts a failed iteration. Test failures have a streak of their own: see `recordTestFailure`. */
  recordFailure(): void {
    this.failedIterations += 1;
    this.iterationFailureStreak += 1;
  }

  /** Counts an iteration whose tests failed. */
  recordTestFailure(): void {
    this.testFailureStreak += 1;
  }

  /** Counts a change to a fresh session. */
  recordReboot(): void {
    this.reboots += 1;
  }

  /** Counts an iteration without progress. */
  recordNoProgress(): void {
    this.noProgressCount += 1;
  }

  /** Adds time of execution. */
  addExecutionTime(ms: number): void {
    this.totalExecutionMs += ms;
  }

  /** Failed iterations in a row. */
  getFailureStreak(): number {
    return this.iterationFailureStreak;
  }

  /** Iterations in a row without progress. */
  getNoProgressCount(): number {
    return this.noProgressCount;
  }

  /** A copy of all counters. */
  snapshot(): LoopStatsCounters {
    return { ...this };
  }

  /** The counters of a loop of ralphd. */
  static of(counters: LoopStatsSnapshot): LoopStats {
    const stats = new LoopStats();
    for (const name of Object.keys(stats) as (keyof LoopStatsCounters)[]) stats[name] = counters[name];
    return stats;
  }
}

/** The counters that `LoopStats` keeps. */
export type LoopStatsCounters = Pick<
  LoopStatsSnapshot,
  | 'iterations'
  | 'successfulIterations'
  | 'failedIterations'
  | 'reboots'
  | 'totalExecutionMs'
  | 'testFailureStreak'
  | 'noProgressCount'
  | 'iterationFailureStreak'
>;

/** A loop at a glance. */
export class LoopContext {
  /** The loop's id. */
  readonly id: LoopId;
  /** Its counters. */
  readonly stats: LoopStats;
  /** Its state. */
  state: LoopState = 'idle';
  /** When it started; undefined before. */
  startedAt: Date | undefined;
  /** When it last did something. */
  lastActivity: Date;
  /** Why it stopped or paused; undefined while it runs. */
  stopReason: string | undefined;

  /**
   * @param id the loop's id; default: a new one.
   * @param stats its counters; default: all zero.
   */
  constructor(id: LoopId = LoopId.new(), stats: LoopStats = new LoopStats()) {
    this.id = id;
    this.stats = stats;
    this.lastActivity = new Date();
  }

  /** Changes the state, which is an activity. */
  setState(state: LoopState): void {
    this.state = state;
    this.lastActivity = new Date();
  }

  /** The current state. */
  getState(): LoopState {
    return this.state;
  }

  /** Notes the start; the loop is running from now on. */
  markStarted(): void {
    this.startedAt = new Date();
    this.setState('running');
  }

  /** Notes why the loop stopped. */
  setStopReason(reason: string): void {
    this.stopReason = reason;
  }
}

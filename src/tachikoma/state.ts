import { LoopId } from './loop-id.ts';
import type { LoopState } from './loop-state.ts';

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
  snapshot(): LoopStatsSnapshot {
    return Object.assign({}, this);
  }

  /** Counters that continue from a copy. */
  static of(counters: LoopStatsSnapshot): LoopStats {
    const stats = new LoopStats();
    for (const name of Object.keys(stats) as (keyof LoopStatsSnapshot)[]) stats[name] = counters[name];
    return stats;
  }
}

/** A copy of the counters of a loop. */
export interface LoopStatsSnapshot {
  /** Finished iterations. */
  readonly iterations: number;
  /** Those that made progress. */
  readonly successfulIterations: number;
  /** Those that failed. */
  readonly failedIterations: number;
  /** Changes to a fresh session. */
  readonly reboots: number;
  /** Time of execution in milliseconds. */
  readonly totalExecutionMs: number;
  /** Test failures in a row. */
  readonly testFailureStreak: number;
  /** Iterations in a row without progress. */
  readonly noProgressCount: number;
  /** Failed iterations in a row. */
  readonly iterationFailureStreak: number;
}

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

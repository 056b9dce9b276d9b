/**
 * The loop runner of Tachikoma over ralphd's engine: its names, defaults and documents, in TypeScript form.
 *
 * @packageDocumentation
 */

import type { AppContext } from './app/index.ts';
import type { EnvironmentOptions } from './library/index.ts';
import {
  BaseIterationExecutor,
  BaseLoopRunner,
  type IterationConfig,
  type PartialLoopConfig,
  type RunnerOptions,
} from './tachikoma/index.ts';

export type { IterationOutcome, LoopStatsSnapshot } from './core/index.ts';
export type { CommandRequest, EnvironmentOptions, LoopResult, RunOptions } from './library/index.ts';
export type { LoopConfigInput } from './protocol/index.ts';
export type { Answer } from './runner/index.ts';
export {
  type AutoSave,
  type CommandSender,
  type CoreLoopState,
  type Duration,
  type EventReceiver,
  HistoryConfig,
  type HistorySummary,
  Iteration,
  IterationConfig,
  IterationHistory,
  type IterationResult,
  IterationStatus,
  type LogEntry,
  type Logger,
  LoopCommand,
  LoopConfig,
  LoopContext,
  LoopError,
  type LoopErrorDetails,
  type LoopErrorKind,
  type LoopEvent,
  type LoopEventBase,
  LoopEventEmitter,
  type LoopEventType,
  LoopId,
  LoopState,
  LoopStats,
  type LoopStatsCounters,
  LoopStatus,
  type MetricsSnapshot,
  type PartialLoopConfig,
  type PersistedLoopState,
  type ProgressState,
  type RunnerOptions,
  Session,
  SessionConfig,
  type SessionHistoryEntry,
  SessionManager,
  type SessionState,
  STATE_VERSION,
  StateManager,
  type StateManagerOptions,
  StatePersistenceConfig,
  type StopConditionState,
  StopConditionsConfig,
  type TestDetail,
  TestResults,
  type TestState,
  TestStatus,
} from './tachikoma/index.ts';

/**
 * Runs a loop: the same engine, files and guarantees as everything else in ralphd. `ralphd status` shows the loop, and
 * `ralphd resume` continues it.
 */
export class LoopRunner extends BaseLoopRunner {
  /**
   * @param config the settings; missing ones get their defaults.
   * @param options where the runner works (default: the current folder and environment), a log, a `StateManager`, and a loop
   *   to resume.
   */
  constructor(config: PartialLoopConfig = {}, options: RunnerOptions & EnvironmentOptions = {}) {
    super(config, { ...options, context: contextOf(options) });
  }
}

/** Executes single iterations: sends a prompt to the agent, waits for its end and collects what it did. */
export class IterationExecutor extends BaseIterationExecutor {
  /**
   * @param config how iterations are executed; missing settings get their defaults.
   * @param options where, and with which environment; default: the current ones.
   */
  constructor(config: Partial<IterationConfig> = {}, options: EnvironmentOptions = {}) {
    super(config, contextOf(options));
  }
}

function contextOf({ cwd = process.cwd(), env = process.env }: EnvironmentOptions): AppContext {
  return { cwd, env };
}

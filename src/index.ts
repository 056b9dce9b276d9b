/**
 * ralphd as a library: run a loop inside a program, follow its facts, tell it what to do.
 *
 * @packageDocumentation
 */
export {
  type AppContext,
  type CommandRequest,
  type LoopEvent,
  type LoopId,
  type LoopResult,
  LoopRunner,
  type RunOptions,
} from './app/index.ts';
export { exitCodes, type Failure, LoopError, type Retry } from './base/index.ts';
export {
  canPause,
  canResume,
  canStart,
  emptyHistory,
  failureStreak,
  type HistorySummary,
  historyOf,
  type IterationHistory,
  type IterationOutcome,
  type IterationRecord,
  type IterationResult,
  isActiveState,
  isTerminalState,
  iterationByNumber,
  iterationDurationMs,
  iterationsWhere,
  type LoopCommand,
  type LoopContext,
  type LoopStats,
  type LoopStatsSnapshot,
  lastIterations,
  outcomeOf,
  runnerState,
  testSuccessRate,
} from './core/index.ts';
export type { TachikomaDocument } from './formats/index.ts';
export {
  type Condition,
  type ConditionInput,
  configJsonSchema,
  configSchema,
  type Fact,
  type FactData,
  type FactType,
  factCatalogue,
  type HistoryConfig,
  type IterationConfig,
  type IterationStatus,
  type LoopConfig,
  type LoopConfigInput,
  type LoopState,
  type PersistenceConfig,
  type Phase,
  type SessionConfig,
  type Status,
  type StopConditionsConfig,
  type StopReason,
} from './protocol/index.ts';

export { type CommandAnswer, type CommandSender, LoopCommand } from './commands.ts';
export { LoopConfig, type PartialLoopConfig, SessionConfig, StopConditionsConfig } from './config.ts';
export type { Duration } from './durations.ts';
export { LoopError, type LoopErrorDetails, type LoopErrorKind } from './errors.ts';
export { type EventReceiver, LoopEventEmitter } from './event-emitter.ts';
export type { LoopEvent, LoopEventBase, LoopEventType } from './events.ts';
export {
  Iteration,
  type IterationResult,
  IterationStatus,
  type TestDetail,
  TestResults,
  TestStatus,
} from './iteration.ts';
export { IterationConfig, IterationExecutor } from './iteration-executor.ts';
export { HistoryConfig, type HistorySummary, IterationHistory } from './iteration-history.ts';
export type { LogEntry, Logger } from './log.ts';
export { LoopId } from './loop-id.ts';
export { LoopState } from './loop-state.ts';
export {
  type CoreLoopState,
  LoopStatus,
  type MetricsSnapshot,
  type PersistedLoopState,
  type ProgressState,
  type SessionHistoryEntry,
  type SessionState,
  STATE_VERSION,
  StatePersistenceConfig,
  type StopConditionState,
  type TestState,
} from './persisted-state.ts';
export { type LoopResult, LoopRunner, type RunnerOptions } from './runner.ts';
export { Session, type SessionInfo, SessionManager, type SessionStatus } from './session.ts';
export { LoopContext, LoopStats, type LoopStatsSnapshot } from './state.ts';
export { type AutoSave, StateManager, type StateManagerOptions } from './state-persistence.ts';

export { detectClaim } from './judge/claim.ts';
export { describeEnding } from './judge/classify.ts';
export { isUsablePattern } from './judge/patterns.ts';
export type { Moment } from './judge/settle.ts';
export { type RuleStanding, standings } from './judge/stop-rules.ts';
export { accept, type LoopCommand, longestGuidance } from './loop/accept.ts';
export { type Advance, accountsForTime, advance } from './loop/advance.ts';
export { contextOf, type IterationOutcome, type LoopContext, outcomeOf } from './loop/context.ts';
export { type Action, breaksOff } from './loop/decide.ts';
export { evolve, replay } from './loop/evolve.ts';
export { exitCodeOf } from './loop/exit-code.ts';
export {
  emptyHistory,
  failureStreak,
  foldHistory,
  type HistoryFold,
  type HistorySummary,
  historyOf,
  type IterationHistory,
  type IterationRecord,
  type IterationResult,
  iterationByNumber,
  iterationDurationMs,
  iterationsWhere,
  lastIterations,
  type OpenIteration,
  testSuccessRate,
} from './loop/history.ts';
export { idleLoop, type Loop } from './loop/loop.ts';
export type { LoopStats, LoopStatsSnapshot } from './loop/stats.ts';
export {
  canPause,
  canResume,
  canStart,
  isActiveState,
  isTerminal,
  isTerminalState,
  runnerState,
} from './loop/status.ts';
export { renderPrompt } from './prompt/render.ts';
export { extractSummary } from './prompt/summary.ts';

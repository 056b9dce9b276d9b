export { anyPromiseTag, type ClaimQuestion, detectClaim, escapeForRegExp, type PromiseMatch } from './judge/claim.ts';
export { classify, describeEnding } from './judge/classify.ts';
export { isUsablePattern } from './judge/patterns.ts';
export type { Moment } from './judge/settle.ts';
export { type RuleStanding, standings } from './judge/stop-rules.ts';
export { accept, type LoopCommand, longestGuidance } from './loop/accept.ts';
export { type Advance, accountsForTime, advance } from './loop/advance.ts';
export { contextOf, type IterationOutcome, type LoopContext } from './loop/context.ts';
export { type Action, breaksOff, decide } from './loop/decide.ts';
export { evolve, replay } from './loop/evolve.ts';
export { exitCodeOf } from './loop/exit-code.ts';
export {
  addIteration,
  emptyHistory,
  failureStreak,
  type HistorySummary,
  historyOf,
  type IterationHistory,
  type IterationRecord,
  type IterationResult,
  iterationByNumber,
  iterationDurationMs,
  iterationsWhere,
  lastIterations,
  testSuccessRate,
} from './loop/history.ts';
export { idleLoop, type Loop } from './loop/loop.ts';
export type { LoopStats, LoopStatsSnapshot } from './loop/stats.ts';
export {
  canMove,
  canPause,
  canResume,
  canStart,
  isActiveState,
  isTerminal,
  isTerminalState,
  runnerState,
} from './loop/status.ts';
export { isDirective, renderPrompt } from './prompt/render.ts';
export { substitute } from './prompt/substitute.ts';
export { extractSummary } from './prompt/summary.ts';

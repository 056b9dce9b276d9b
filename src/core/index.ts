export { isBrokenBaseline } from './gate/baseline.ts';
export { checkProof, compareWithJournal, line as proofLine, type ProofLine } from './gate/check-proof.ts';
export {
  type GateWords,
  gateWords,
  type NamedFiles,
  type NamedScript,
  type NamedTarget,
  plainCommands,
  scriptsIn,
} from './gate/check-words.ts';
export { type CriterionReading, type FoundTest, gateChecks } from './gate/checks.ts';
export { type ToldDoubt, toldDoubts } from './gate/doubt-words.ts';
export { type Doubt, doubtsOf, warningsOf } from './gate/doubts.ts';
export { filesInEnvironment, profilesRead, shellProfiles } from './gate/environment-files.ts';
export { checkProblem, type ExitCode, judgeExitCode, shellNeeded } from './gate/exit-code/exit-code.ts';
export { rankOf } from './gate/exit-code/rank.ts';
export type { GateRun, GateTask } from './gate/gate-run.ts';
export { guardId, guardNames } from './gate/guard-id.ts';
export { proofLevelOf } from './gate/proof.ts';
export { buildProof, canonicalJson, lineOfCommand, type UnsignedProof } from './gate/proof-bundle.ts';
export { type ProtectedFiles, withoutOwn } from './gate/protection.ts';
export { steersOf } from './gate/settings-files.ts';
export { checkVerdict, isSilent, lostTests, verdictOf } from './gate/verdict.ts';
export { bestReason, bestText } from './judge/best-words.ts';
export { type BudgetLeft, budgetLeft, isUsedUp } from './judge/budget.ts';
export { detectClaim } from './judge/claim.ts';
export { classify, describeEnding } from './judge/classify.ts';
export { withConditions } from './judge/conditions/carry-over.ts';
export {
  type ObservableCondition,
  observableConditions,
  type PlacedCondition,
  patternsIn,
} from './judge/conditions/entries.ts';
export { type Evaluation, evaluationsOf } from './judge/conditions/history.ts';
export { isFoundIn, outputMatches } from './judge/conditions/matches.ts';
export { explain, nearestFirst } from './judge/explain.ts';
export { resumeCommand } from './judge/explain-end.ts';
export type { Explanation, NextStep } from './judge/explanation.ts';
export { countMarkers } from './judge/markers.ts';
export { type KeptMeasure, measureName } from './judge/measures.ts';
export { type Pace, paceOf } from './judge/pace.ts';
export { hasGroup, isUsablePattern } from './judge/patterns.ts';
export type { RuleStanding } from './judge/rule-standing.ts';
export type { Moment } from './judge/settle.ts';
export { standings, usedUpLimits } from './judge/stop-rules.ts';
export { flakyTests, recentlyFixed } from './judge/test-memory.ts';
export { summariseTests, type TestSummary, trackedTests } from './judge/test-summary.ts';
export { stubbornText } from './judge/test-words.ts';
export { waitLeftMs, waitOverAt } from './judge/waiting.ts';
export { accept, type LoopCommand, longestGuidance } from './loop/accept.ts';
export { type Advance, accountsForTime, advance } from './loop/advance.ts';
export type { JudgedIteration } from './loop/attempt.ts';
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
  openIterationOf,
  openRecord,
  testSuccessRate,
} from './loop/history.ts';
export { type HookContext, hookContext } from './loop/hook-context.ts';
export type { DueHook } from './loop/hooks.ts';
export { idleLoop, type Loop, type ShownConfig, type ShownLoop } from './loop/loop.ts';
export { readSpent, reportedTokens, type Spent } from './loop/spent.ts';
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
export { readMeasures, readMetrics } from './measures/read-measures.ts';
export { builtInValues } from './prompt/built-ins.ts';
export { splitFrontMatter } from './prompt/front-matter.ts';
export type { ToldFile } from './prompt/hand-off.ts';
export { extractNotes } from './prompt/notes.ts';
export { checkVariables, type Prompt } from './prompt/prompt.ts';
export { type PromptTurn, renderPrompt } from './prompt/render.ts';
export { extractSummary } from './prompt/summary.ts';
export {
  bindVariables,
  fillIn,
  type PromptPart,
  parseTemplate,
} from './prompt/template.ts';
export { createTestReportReader, readTestReport } from './reports/read.ts';
export { allTestsPassed, failingTests, type TestDetail, type TestReport } from './reports/report.ts';

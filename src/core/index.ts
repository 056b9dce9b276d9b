export { type AuditEntry, auditEntry } from './account/audit.ts';
export type { Interludes, PauseSpan, WaitSpan } from './account/interludes.ts';
export {
  type AccountFold,
  type AttemptAccount,
  accountedFacts,
  accountOf,
  foldAccount,
  type IterationAccount,
  lastAttempt,
  testsChangedBy,
} from './account/iteration-account.ts';
export { type IterationRow, type IterationSign, rowOf } from './account/iteration-row.ts';
export { type Report, type ReportedCheck, reportOf } from './account/report.ts';
export { type Evaluation, evaluationsOf } from './explain/evaluations.ts';
export { explain, nearestFirst } from './explain/explain.ts';
export type {
  Cause,
  Evidence,
  Explanation,
  NextStep,
  NextStop,
  Raise,
  ResumeStep,
  Situation,
  StartStep,
} from './explain/explanation.ts';
export { plainResume } from './explain/next-steps.ts';
export {
  type DueRuns,
  dueRuns,
  firstDue,
  type MissedRuns,
  parseEvery,
  type Recurrence,
  runKey,
} from './fleet/recurrence.ts';
export { isBrokenBaseline } from './gate/baseline.ts';
export { checkProof, compareWithJournal, type ProofLine, proofLine } from './gate/check-proof.ts';
export { gateChecks } from './gate/checks.ts';
export { type DescribedDoubt, describeDoubts } from './gate/doubt-words.ts';
export { doubtsOf, warningsOf } from './gate/doubts.ts';
export { filesLoadedByEnvironment, profilesReadBy, shellProfiles } from './gate/environment-files.ts';
export { checkProblem, judgeExitCode, shellNeeded } from './gate/exit-code/exit-code.ts';
export { rankOf } from './gate/exit-code/rank.ts';
export type { GateRun, GateTask } from './gate/gate-run.ts';
export { guardId, guardNames } from './gate/guard-id.ts';
export {
  type NamedFiles,
  type NamedScript,
  type NamedTarget,
  nestedScripts,
  type ParsedCheck,
  parseCheckCommand,
  plainCommands,
} from './gate/parse-check.ts';
export { buildProof, canonicalJson, lineOfCommand, type UnsignedProof } from './gate/proof-bundle.ts';
export { withoutOwnTests } from './gate/protection.ts';
export { settingsFilesOf } from './gate/settings-files.ts';
export { checkVerdict, lostTestCounts, proofLevelOf, ranFewerTests, verdictOf } from './gate/verdict.ts';
export { accept, allowedCommands, type LoopCommand, type LoopOrder } from './loop/accept.ts';
export { type Advance, accountsForTime, advance } from './loop/advance.ts';
export { contextOf, type IterationOutcome, type LoopContext, outcomeOf } from './loop/context.ts';
export { workToContinue } from './loop/continued-work.ts';
export { type Action, breaksOff } from './loop/decide.ts';
export { approvedByTimeout } from './loop/decisions.ts';
export { evolve, replay } from './loop/evolve.ts';
export { exitCodeOf } from './loop/exit-code.ts';
export { type FailureCount, type FailureTally, talliedFacts, tallyFailure } from './loop/failure-tally.ts';
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
export { type IterationFigures, type IterationLog, logIteration } from './loop/iteration-figures.ts';
export { completionOf, isEnding } from './loop/loop-hooks.ts';
export { type LoopFigures, type Statistics, statisticsOf } from './loop/statistics.ts';
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
export { type FleetOutcome, fleetMetricsOf } from './metrics/fleet.ts';
export { type ExpositionFormat, expositionText, metricObjects, statsdText } from './metrics/formats.ts';
export { countOf, emptyHistogram, type Histogram, observe } from './metrics/histogram.ts';
export { foldMetrics, type JournalMetrics, measuredFacts, noJournalMetrics } from './metrics/journal-metrics.ts';
export { type MeasuredLoop, type MetricFamily, metricsOf } from './metrics/metrics.ts';
export {
  type AgentNumbers,
  type DayNumbers,
  type NumberedLoop,
  type Numbers,
  numbersOf,
  type PerProvenTask,
} from './metrics/numbers.ts';
export { composeMessage, inTemplates, type Message, testMessage } from './notify/message.ts';
export { mayBeLast, type Notice, type NoticeMemory, noMemory, noticeOf } from './notify/notices.ts';
export {
  dueAt,
  emptyOutbox,
  flush,
  isQuiet,
  type Outbox,
  type OutboxLimits,
  offer,
  take,
  type Waiting,
} from './notify/outbox.ts';
export {
  addAcknowledgement,
  addToHistory,
  type ChannelRecord,
  type Cursor,
  type HistoryEntry,
  type NotifyRecords,
  readAcknowledgements,
  readHistory,
  readRecords,
  type SeenEntry,
  withAcknowledgements,
  writeRecords,
} from './notify/records.ts';
export { type UnsentNotices, unsentNotices } from './notify/unsent.ts';
export { limitsOf, wantedAs } from './notify/wanted.ts';
export { type BestResult, bestResult } from './progress/best-iteration.ts';
export { measureName } from './progress/measures.ts';
export { qualityScore, type Returns, returnsOf } from './progress/returns.ts';
export { flakyTests, recentlyFixed, rememberChecks } from './progress/test-memory.ts';
export { describeStubborn, summariseTests, trackedTests } from './progress/test-summary.ts';
export { type TemplateValue, toTemplateValue } from './prompt/expression.ts';
export { fillPrompt, type UnfilledPrompt } from './prompt/fill-prompt.ts';
export { splitFrontMatter } from './prompt/front-matter.ts';
export type { HandoverFile } from './prompt/handover.ts';
export { extractNotes } from './prompt/notes.ts';
export type { ProgressNotes } from './prompt/progress-notes.ts';
export { checkVariables, type Prompt } from './prompt/prompt.ts';
export { type PromptTurn, renderPrompt } from './prompt/render.ts';
export { assertHelpersExist, renderTemplate, type TemplateScope } from './prompt/render-template.ts';
export { extractSummary } from './prompt/summary.ts';
export { bindVariables, fillIn, type PromptPart, parseTemplate } from './prompt/template.ts';
export type { TemplateHelper } from './prompt/template-functions.ts';
export { buildTemplate } from './prompt/template-tree.ts';
export { countMarkers } from './reports/markers.ts';
export { firstMatch as matchedPattern, hasGroup, isUsablePattern } from './reports/patterns.ts';
export { createTestReportReader, readTestReport } from './reports/read.ts';
export { readMeasures, readMetrics } from './reports/read-measures.ts';
export { allTestsPassed, failingTests, type TestReport } from './reports/report.ts';
export { breakpointsOf, configuredMode, marksIn, modeOf, mustAsk } from './rules/asking.ts';
export { type BudgetLeft, budgetLeft, isUsedUp } from './rules/budget.ts';
export {
  addCalls,
  type CallAllowance,
  callAllowance,
  callsInHour,
  isRateReached,
  spreadCalls,
} from './rules/call-rate.ts';
export {
  type ObservableCondition,
  observableConditions,
  type PlacedCondition,
  patternsIn,
} from './rules/conditions/entries.ts';
export { isFoundIn, outputMatches } from './rules/conditions/matches.ts';
export { amountText, amountUsed, boundOf } from './rules/limits.ts';
export { nextSwitch } from './rules/mode-schedule.ts';
export { type Pace, paceOf } from './rules/pace.ts';
export { type DueReboot, type RedlineCut, redlineCut } from './rules/reboots.ts';
export { describeSchedule, nextOpening } from './rules/schedule.ts';
export { type SessionHealth, sessionHealth } from './rules/session-health.ts';
export { standings, usedUpLimits } from './rules/stop-rules.ts';
export { waitLeftMs, waitOverAt } from './rules/waiting.ts';
export { anyPromiseTag, detectClaim, escapeForRegExp } from './settle/claim.ts';
export { classify, describeEnding } from './settle/classify.ts';
export { type LetStopCause, type SessionStop, sessionCeiling, whyLetStop } from './settle/session-stop.ts';
export type { JudgedIteration } from './state/attempt.ts';
export type { Guidance } from './state/commands.ts';
export { edit, type LoopEdit } from './state/edits.ts';
export { guidanceOf } from './state/guidance.ts';
export { idleLoop, type Loop, type LoopGroups } from './state/loop.ts';
export type { HostSession } from './state/pending.ts';
export { readSpent, type Spent } from './state/spent.ts';
export type { LoopStats, LoopStatsSnapshot } from './state/stats.ts';
export { notSupervised, type PersonNote } from './state/supervision.ts';

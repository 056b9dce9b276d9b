/**
 * ralphd as a library: run a loop inside a program, follow its events and control it.
 *
 * @packageDocumentation
 */

import { type AppContext, trustProject as trustsIt, useKeys } from './app/index.ts';
import {
  type EnvironmentOptions,
  type LoopHandle,
  type LoopId,
  type Loops,
  type OpenLoopsOptions,
  openLoops as openLoopsOf,
  type ResumeLoopOptions,
  type RunLoopOptions,
  resumeLoop as resumeLoopIn,
  runLoop as runLoopIn,
} from './library/index.ts';
import type { LoopConfigInput } from './protocol/index.ts';

export type { AppContext, Consent, TemplateExtensions, Trust, TrustRequest } from './app/index.ts';
export { exitCodes, type Failure, LoopError, type Retry } from './base/index.ts';
export type { BroughtLine } from './config/index.ts';
export {
  canPause,
  canResume,
  canStart,
  emptyHistory,
  failureStreak,
  type Guidance,
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
  type LoopOrder,
  type LoopStats,
  type LoopStatsSnapshot,
  lastIterations,
  outcomeOf,
  runnerState,
  type TemplateHelper,
  type TemplateValue,
  testSuccessRate,
} from './core/index.ts';
export type { TachikomaDocument, TachikomaStatus } from './formats/index.ts';
export {
  type CommandRequest,
  type EnvironmentOptions,
  type EventOptions,
  type LandedLoop,
  type LandOptions,
  type LoopChanges,
  type LoopEvent,
  type LoopHandle,
  type LoopId,
  type LoopInfo,
  type LoopList,
  type LoopResult,
  LoopRunner,
  type Loops,
  type OpenLoopsOptions,
  type RemovedLoop,
  type RemoveOptions,
  type ResumeLoopOptions,
  type RunControl,
  type RunLoopOptions,
  type RunOptions,
  type SendOptions,
} from './library/index.ts';
export {
  type AgentOutcome,
  type ApiCalls,
  type Asks,
  agentOutcomes,
  type BackupConfig,
  type BackupConfigInput,
  type BackupTargetConfig,
  type BackupTargetConfigInput,
  type Breakpoint,
  type Changes,
  type ChannelConfig,
  type ChannelConfigInput,
  type ChannelType,
  type Check,
  type Condition,
  type ConditionInput,
  type ConditionResult,
  channelTypes,
  configJsonSchema,
  type Ending,
  encodeConfig,
  type Fact,
  type FactData,
  type FactDataByType,
  type FactType,
  type FailureClass,
  type FixedSetting,
  type FolderProgram,
  type FoundProgram,
  factTypes,
  failureClasses,
  type Guard,
  type HistoryConfig,
  type HistoryConfigInput,
  type HookConfig,
  type HookConfigInput,
  type HookPoint,
  type HookStep,
  hookPoints,
  hookSteps,
  type InstalledPackage,
  type IterationConfig,
  type IterationConfigInput,
  type IterationStatus,
  iterationStatuses,
  type JudgedTree,
  type LeafCondition,
  type LeafConditionInput,
  type LeftWork,
  type LoopConfig,
  type LoopConfigInput,
  type LoopHookStep,
  type LoopState,
  loopHookSteps,
  loopStates,
  type Measure,
  type MetricConfig,
  type MetricConfigInput,
  type Mode,
  type NotedIssue,
  type NoteKind,
  type NotifyPriority,
  type NotifyTrigger,
  notifyPriorities,
  notifyTriggers,
  type Obstacle,
  type PersistenceConfig,
  type PersistenceConfigInput,
  type Phase,
  type ProcessIdentity,
  type Progress,
  type ProgressConfig,
  type ProgressConfigInput,
  type Proof,
  type ProofLevel,
  type ProtectedBase,
  parseConfig,
  phases,
  proofLevels,
  proofs,
  type Quality,
  type RebootCause,
  type RecordedFact,
  type RunNotes,
  rebootCauses,
  type Sender,
  type SenderFace,
  type SessionConfig,
  type SessionConfigInput,
  type SettingChange,
  type Status,
  type StopConditionsConfig,
  type StopConditionsConfigInput,
  type StopReason,
  type SwitchMoment,
  statuses,
  stopReasons,
  type TestCounts,
  type TestHints,
  type Usage,
  type Verdict,
  verdicts,
  type Worktree,
} from './protocol/index.ts';
export type { Answer, Liveness } from './runner/index.ts';

/**
 * Starts a loop and resolves once it exists durably; the handle follows and controls it.
 * The configuration is checked completely before anything is created.
 */
export function runLoop(config: LoopConfigInput, options: RunLoopOptions = {}): Promise<LoopHandle> {
  return runLoopIn(config, options, contextOf(options));
}

/** Resumes a loop that is paused or has lost its owner, in this program. */
export function resumeLoop(id: LoopId, options: ResumeLoopOptions = {}): Promise<LoopHandle> {
  return resumeLoopIn(id, options, contextOf(options));
}

/**
 * The loops of a project, to list, inspect, follow and control from any program, whichever process runs them.
 *
 * @param dir the project's folder; default: the current one.
 */
export function openLoops(dir = process.cwd(), options: OpenLoopsOptions = {}): Loops {
  return openLoopsOf(options, contextOf({ ...options, cwd: dir }));
}

function contextOf({
  cwd = process.cwd(),
  env = process.env,
  templates,
  trustProject = false,
}: EnvironmentOptions): AppContext {
  const consent = trustProject === true ? trustsIt : trustProject || undefined;
  return { cwd, env: useKeys({ cwd, env }), templates, consent };
}

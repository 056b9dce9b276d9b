export { type AgentName, agentNames, type KnownAgent, knownAgents } from './agents.ts';
export {
  attemptVariables,
  type ChildVariable,
  childVariables,
  loopEnvironment,
  provenanceVariables,
} from './child-variables.ts';
export { commandSchema } from './command-schema.ts';
export {
  actionOf,
  argumentOf,
  type CommandName,
  commandTable,
  isOption,
  maxGuidanceLength,
  maxSenderName,
  type OfferedCommand,
  offeredCommands,
  restsLoop,
  type SenderFace,
} from './commands.ts';
export { backupTargetName } from './config/backup.ts';
export { checkConfig } from './config/check.ts';
export { conditionsIn } from './config/condition-tree.ts';
export { conditionKeys } from './config/conditions.ts';
export { describeSettings, type SettingDescription } from './config/describe.ts';
export { needsSeed, type Provenance, provenanceOf } from './config/execution-mode.ts';
export { configJsonSchema } from './config/json-schema.ts';
export type * from './config/loop-config.ts';
export type * from './config/loop-config-input.ts';
export { parseConfig } from './config/parse-config.ts';
export { defaultPlaces, topSettings } from './config/places.ts';
export type { ProgressStrategy } from './config/progress.ts';
export { type Protection, protectionOf, usualTests } from './config/protection.ts';
export { type Asks, isAsStrict, type Reach, reachOf, type SettingPath } from './config/reach.ts';
export { type FixedSetting, isIdentity, whyFixed } from './config/reloading.ts';
export {
  type DateRange,
  type MinuteRange,
  type ModeSwitch,
  parseBlackout,
  parseHours,
  parseTime,
  type Schedule,
  weekdays,
} from './config/schedule.ts';
export { configSchema, defaultConfig, encodeConfig } from './config/schema.ts';
export { type ConfigSetting, listSettings, type SettingForm } from './config/setting-list.ts';
export {
  type Fact,
  type FactData,
  type FactType,
  factCatalogue,
  factTypes,
  type RecordedFact,
} from './facts/catalogue.ts';
export type { FactDefinition } from './facts/define.ts';
export type { FactDataByType } from './facts/fact-data.ts';
export type * from './facts/fact-shapes.ts';
export { type FactReading, readFact, type UntypedEntry } from './facts/read-fact.ts';
export type { CheckCommand } from './facts/shapes.ts';
export {
  type HookReply,
  maxHookPromptLength,
  mergeHookData,
  readHookReply,
} from './hooks/reply.ts';
export type * from './http/messages.ts';
export { describeApi } from './http/openapi.ts';
export { type Operation, type OperationName, operations } from './http/operations.ts';
export { describeType, fields, type JsonSchema } from './json-schema.ts';
export {
  type CountedUse,
  countedUses,
  type Limit,
  type LimitReason,
  type LimitSetting,
  limitOf,
  limitSettings,
  limits,
  limitsToShow,
  type ReportedTotal,
  type UnreportedRuns,
  usedOf,
} from './limits.ts';
export {
  type AskReason,
  type Breakpoint,
  breakpointWords,
  type Mode,
  maxBreakpoints,
  maxEditedPromptLength,
  maxNoteLength,
  modes,
  type NoteKind,
  noteKinds,
  type QuestionPoint,
  type SwitchMoment,
} from './modes.ts';
export {
  channelFromText,
  channelName,
  fillTemplate,
  parseSecretReference,
  type SecretReference,
} from './notifications.ts';
export {
  frontMatterKeys,
  frontMatterSchema,
  noMetadata,
  type PromptMetadata,
  toMetadata,
} from './prompt/front-matter.ts';
export { type BuiltInVariable, builtInVariables, isVariableName } from './prompt/variable-names.ts';
export {
  type ProofBundle,
  proofFormat,
  proofJsonSchema,
  readProofBundle,
} from './proof/bundle.ts';
export {
  type AgentActivity,
  type AgentProgress,
  type AgentStep,
  type CheckProgress,
  type CheckStep,
  maxActivities,
  maxActivityLength,
  type Pulse,
  type PulseStep,
  pulseVersion,
  readPulse,
} from './pulse.ts';
export { type StoredLoop, storedLoopSchema } from './snapshot/stored-loop.ts';
export {
  exitOf,
  type OtherReason,
  type StreakRule,
  stopReasonTable,
  streakRules,
} from './stop-reasons.ts';
export {
  parseTraceparent,
  type TraceContext,
  type TracedStep,
  type TraceVariables,
  traceparentOf,
} from './trace-context.ts';
export { type SnapshotDocument, type SnapshotUpcaster, snapshotUpcasters } from './upcast/steps.ts';
export { linksIn } from './view/registry-links.ts';
export {
  type Frozen,
  type RuleStanding,
  type StoredView,
  type TestRecord,
  type TestSummary,
  type ViewedRequest,
  type ViewedReturns,
  type ViewedSession,
  type ViewedTests,
  viewIn,
  viewVersion,
} from './view/stored-view.ts';
export {
  type AgentOutcome,
  absent,
  agentOutcomes,
  type ChannelType,
  type ConditionSet,
  type ContextLevel,
  channelTypes,
  conditionSets,
  type FailureClass,
  type ForeignSystem,
  failureClasses,
  foreignSystems,
  type HookPoint,
  type HookStep,
  hookPoints,
  hookSteps,
  type IterationStatus,
  iterationStatuses,
  type LoopHookStep,
  type LoopState,
  loopHookSteps,
  loopStates,
  type NotifyPriority,
  type NotifyTrigger,
  notifyPriorities,
  notifyTriggers,
  type Phase,
  type Proof,
  type ProofLevel,
  phases,
  proofLevels,
  proofs,
  type RebootAdvice,
  type RebootCause,
  rebootCauses,
  type Status,
  type StopReason,
  statuses,
  stopReasons,
  type TerminalStatus,
  type Verdict,
  verdicts,
} from './words.ts';

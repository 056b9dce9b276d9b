export { checkConfig } from './config/check.ts';
export { conditionsIn } from './config/condition-tree.ts';
export { type Condition, type ConditionInput, conditionKeys, type LeafCondition } from './config/conditions.ts';
export type { HookConfig } from './config/hooks.ts';
export { configJsonSchema } from './config/json-schema.ts';
export { defaultPlaces, topSettings } from './config/places.ts';
export type { MetricConfig, ProgressStrategy } from './config/progress.ts';
export { type Protection, protectionOf, usualTests } from './config/protection.ts';
export {
  configSchema,
  encodeConfig,
  type HistoryConfig,
  type IterationConfig,
  type LoopConfig,
  type LoopConfigInput,
  type PersistenceConfig,
  type SessionConfig,
  type StopConditionsConfig,
} from './config/schema.ts';
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
export { type FolderProgram, type FoundProgram, type Guard, type InstalledPackage } from './facts/guard.ts';
export { type FactReading, readFact, type UntypedEntry } from './facts/read-fact.ts';
export type {
  Changes,
  Check,
  CheckCommand,
  ConditionResult,
  Ending,
  JudgedTree,
  Measure,
  NotedIssue,
  Obstacle,
  ProcessIdentity,
  Progress,
  Quality,
  RunNotes,
  TestCounts,
  Usage,
} from './facts/shapes.ts';
export {
  type HookReply,
  longestHookPrompt,
  mergeHookData,
  readHookReply,
} from './hooks/reply.ts';
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
  type AgentOutcome,
  absent,
  agentOutcomes,
  type ConditionSet,
  conditionSets,
  type FailureClass,
  type HookPoint,
  type HookStep,
  hookPoints,
  type IterationStatus,
  iterationStatuses,
  type LoopState,
  loopStates,
  type Phase,
  type Proof,
  type ProofLevel,
  phases,
  type RebootCause,
  type Status,
  type StopReason,
  statuses,
  stopReasons,
  type Verdict,
  verdicts,
} from './words.ts';

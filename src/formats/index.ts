export {
  type AnalyticsIteration,
  addToAnalytics,
  iterationsOfAnalytics,
  toAnalyticsDocument,
  toAnalyticsIteration,
} from './aiwg/analytics.ts';
export {
  analyticsAsCsv,
  analyticsAsMarkdown,
  type CrossLoopSummary,
  loopsAsCsv,
  loopsAsMarkdown,
  summariseLoops,
} from './aiwg/analytics-report.ts';
export { type CheckpointDetails, tagsOfCheckpoint, toCheckpointDocument } from './aiwg/checkpoint.ts';
export { type DocumentDetails, toStateDocument } from './aiwg/document.ts';
export { fromStateDocument } from './aiwg/read-document.ts';
export {
  type EndedLoop,
  isOwnRegistry,
  isStale,
  maxConcurrentLoops,
  type OtherLoop,
  othersAtWork,
  type RegistryRow,
  toRegistryDocument,
} from './aiwg/registry.ts';
export {
  type SelectedIteration,
  type SelectionOptions,
  type SelectionStrategy,
  selectIteration,
} from './aiwg/select-iteration.ts';
export {
  type AiwgKind,
  aiwgKindOf,
  aiwgKinds,
  aiwgProblems,
  aiwgSchemas,
  isAiwgKind,
  onlyAiwgState,
} from './aiwg/validate.ts';
export { carryOver } from './foreign/carry-over.ts';
export type { FieldMapping, ForeignLoop } from './foreign/foreign-loop.ts';
export { type ForeignFile, readForeignLoop } from './foreign/read-foreign.ts';
export type { DocumentProblem, SchemaReading } from './json-schema.ts';
export { addToJson, type JsonPath, removeFromJson } from './json-text.ts';
export {
  type TachikomaDocument,
  type TachikomaStatus,
  tachikomaVersion,
  toTachikomaDocument,
} from './tachikoma/document.ts';
export {
  readTachikomaHistory,
  type TachikomaIteration,
  type TachikomaIterationStatus,
  type TachikomaResult,
  type TachikomaTests,
  toTachikomaIteration,
  toTachikomaIterationStatus,
} from './tachikoma/history.ts';
export { readTachikomaDocument, type TachikomaReading } from './tachikoma/read-document.ts';
export { toUltraplanDocument, type UltraplanDocument } from './ultraplan/document.ts';

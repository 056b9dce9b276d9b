export {
  type AnalyticsIteration,
  addToAnalytics,
  iterationsOfAnalytics,
  toAnalyticsDocument,
  toAnalyticsIteration,
} from './aiwg/analytics.ts';
export { type CheckpointDetails, tagsOfCheckpoint, toCheckpointDocument } from './aiwg/checkpoint.ts';
export { type DocumentDetails, toStateDocument } from './aiwg/document.ts';
export { fromStateDocument } from './aiwg/read-document.ts';
export {
  type EndedLoop,
  isOwnRegistry,
  maxConcurrentLoops,
  type RegistryRow,
  toRegistryDocument,
} from './aiwg/registry.ts';
export { addToJson, type JsonPath, removeFromJson } from './json-text.ts';
export { viewOf } from './snapshot/view.ts';
export { type TachikomaDocument, type TachikomaStatus, toTachikomaDocument } from './tachikoma/document.ts';

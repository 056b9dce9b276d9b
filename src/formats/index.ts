export {
  type AnalyticsIteration,
  addToAnalytics,
  iterationsOfAnalytics,
  toAnalyticsDocument,
  toAnalyticsIteration,
} from './aiwg/analytics.ts';
export { type CheckpointDetails, tagsOfCheckpoint, toCheckpointDocument } from './aiwg/checkpoint.ts';
export { type DocumentDetails, toStateDocument } from './aiwg/document.ts';
export { glanceAtStateDocument } from './aiwg/glance.ts';
export { fromStateDocument } from './aiwg/read-document.ts';
export { isOwnRegistry, maxConcurrentLoops, type RegistryRow, toRegistryDocument } from './aiwg/registry.ts';
export { type TachikomaDocument, toTachikomaDocument } from './tachikoma/document.ts';

export type { AiwgKind, CrossLoopSummary, DocumentProblem, SchemaReading } from '../formats/index.ts';
export { analyticsAsCsv, analyticsAsMarkdown, summariseLoops } from '../formats/index.ts';
export { SCHEMA_VERSION } from './constants.ts';
export type {
  CompletionCheck,
  LoopConfiguration,
  LoopStatus,
  RegistryDocument,
  RegistryEntry,
  StateDocument,
} from './documents.ts';
export {
  allowedTransitions,
  createState,
  type NewState,
  recordCompletionCheck,
  transition,
  updateState,
} from './operations.ts';
export {
  type Reading,
  readAnalytics,
  readCheckpoint,
  readRegistry,
  readState,
  writeCheckpoint,
  writeRegistry,
  writeState,
} from './read.ts';
export { deregisterLoop, type RegisterOptions, recordHeartbeat, registerLoop, staleLoops } from './registry.ts';
export { schemaOf, type ValidateOptions, type Validation, validateDocument } from './validate.ts';

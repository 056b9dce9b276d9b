export type {
  AiwgKind,
  CrossLoopSummary,
  DocumentProblem,
  SchemaReading,
  SelectedIteration,
  SelectionOptions,
  SelectionStrategy,
} from '../formats/index.ts';
export {
  analyticsAsCsv,
  analyticsAsMarkdown,
  loopsAsCsv,
  loopsAsMarkdown,
  selectIteration,
  summariseLoops,
} from '../formats/index.ts';
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

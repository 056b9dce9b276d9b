/**
 * Documents of the AIWG agent-loop schema, version 2: state, registry, checkpoints and analytics.
 *
 * @packageDocumentation
 */

export {
  type AiwgKind,
  type DocumentProblem,
  SCHEMA_VERSION,
  type SchemaReading,
  schemaOf,
  type ValidateOptions,
  type Validation,
  validateDocument,
} from './aiwg/index.ts';

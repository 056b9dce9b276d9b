export type { AiwgKind, DocumentProblem, SchemaReading } from '../formats/index.ts';
export { SCHEMA_VERSION } from './constants.ts';
export { schemaOf, type ValidateOptions, type Validation, validateDocument } from './validate.ts';

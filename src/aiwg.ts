/**
 * Documents of the AIWG agent-loop schema, version 2: state, registry, checkpoints and analytics.
 *
 * @packageDocumentation
 */

export { SCHEMA_VERSION } from './aiwg/index.ts';

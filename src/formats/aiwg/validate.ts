import { type DataSchema, type DocumentProblem, definedPart, problemsIn, type SchemaReading } from '../json-schema.ts';
import { analyticsSchema } from './schemas/analytics.ts';
import { checkpointSchema } from './schemas/checkpoint.ts';
import { registrySchema } from './schemas/registry.ts';
import { stateSchema } from './schemas/state.ts';

/** A kind of document in the folder of AIWG loops. */
export type AiwgKind = 'state' | 'registry' | 'checkpoint' | 'analytics';
/** All kinds. */
export const aiwgKinds = ['state', 'registry', 'checkpoint', 'analytics'] as const satisfies readonly AiwgKind[];

/** The schemas of these documents. */
export const aiwgSchemas: Readonly<Record<AiwgKind, DataSchema>> = {
  state: stateSchema,
  registry: registrySchema,
  checkpoint: checkpointSchema,
  analytics: analyticsSchema,
};

/** Whether a text is the name of a kind of document. */
export function isAiwgKind(word: string): word is AiwgKind {
  return aiwgKinds.some((kind) => kind === word);
}

/** What kind of document this is, from its content; undefined if it resembles none. */
export function aiwgKindOf(document: unknown): AiwgKind | undefined {
  const has = (name: string) => typeof document === 'object' && document !== null && Object.hasOwn(document, name);
  if (has('active_loops')) return 'registry';
  if (has('checkpoint_id')) return 'checkpoint';
  if (has('status') && has('iteration') && has('loop_id')) return 'state';
  if (has('loop_id') && has('iterations')) return 'analytics';
  return has('loop_id') && has('version') ? 'state' : undefined;
}

/** What is wrong with a document of a kind, in one reading of `nullable`; empty if it is valid. */
export function aiwgProblems(document: unknown, kind: AiwgKind, reading: SchemaReading): readonly DocumentProblem[] {
  return problemsIn(document, aiwgSchemas[kind], reading);
}

/** A state document without the fields that the schema does not define, and without nulls. */
export function onlyAiwgState(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return definedPart(document, aiwgSchemas.state) as Readonly<Record<string, unknown>>;
}

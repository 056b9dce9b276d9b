import {
  type AiwgKind,
  aiwgKindOf,
  aiwgProblems,
  aiwgSchemas,
  type DocumentProblem,
  type SchemaReading,
} from '../formats/index.ts';

/** How a document is checked. */
export interface ValidateOptions {
  /** What the document should be; by default its content decides. */
  readonly kind?: AiwgKind;
  /**
   * `nullable` (the default) accepts null where the schema says `nullable: true`; `pure` does not, like any validator
   * of JSON Schema 2020-12, which has no such word.
   */
  readonly reading?: SchemaReading;
}

/** What a document is, and what is wrong with it. */
export interface Validation {
  /** Undefined if the content resembles no kind of document. */
  readonly kind: AiwgKind | undefined;
  /** Whether it is a document of that kind without a problem. */
  readonly valid: boolean;
  /** What is wrong, with the place of each problem as a JSON pointer. */
  readonly problems: readonly DocumentProblem[];
}

/** Checks a document against the schema of its kind. */
export function validateDocument(document: unknown, options: ValidateOptions = {}): Validation {
  const { kind = aiwgKindOf(document), reading = 'nullable' } = options;
  if (kind === undefined) {
    return { kind, valid: false, problems: [{ pointer: '', message: 'resembles no AIWG v2 document' }] };
  }
  const problems = aiwgProblems(document, kind, reading);
  return { kind, valid: problems.length === 0, problems };
}

/** The schema of a kind of document, as data for any validator of JSON Schema 2020-12. */
export function schemaOf(kind: AiwgKind): Readonly<Record<string, unknown>> {
  return { ...aiwgSchemas[kind] };
}

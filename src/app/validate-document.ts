import { failures, LoopError } from '../base/index.ts';
import {
  type AiwgKind,
  aiwgKindOf,
  aiwgKinds,
  aiwgProblems,
  type DocumentProblem,
  type SchemaReading,
} from '../formats/index.ts';
import { readDocument } from './read-document.ts';

/** What a document is, and what is wrong with it. */
export interface ValidationReport {
  readonly file: string;
  /** Undefined if the file is damaged. */
  readonly kind: AiwgKind | undefined;
  /** The reading of `nullable` that decides. */
  readonly reading: SchemaReading;
  readonly valid: boolean;
  readonly problems: readonly DocumentProblem[];
  /** Problems in the other reading only: nulls that a plain 2020-12 validator refuses. */
  readonly nulls: readonly DocumentProblem[];
}

/** Which document to check, and how. */
export interface ValidationRequest {
  /** Where it is, absolute. */
  readonly path: string;
  /** How messages name it. */
  readonly name: string;
  /** What it should be; by default its content decides. */
  readonly kind?: AiwgKind | undefined;
  readonly reading: SchemaReading;
}

/** Checks a document of AIWG against its schema, in both readings of `nullable`. */
export function validateDocument({ path, name, kind: wanted, reading }: ValidationRequest): ValidationReport {
  const read = readDocument(path);
  if (read.why !== undefined) {
    const problems = [{ pointer: '', message: `is damaged: ${read.why}` }];
    return { file: name, kind: wanted, reading, valid: false, problems, nulls: [] };
  }
  const kind = wanted ?? aiwgKindOf(read.document);
  if (kind === undefined) {
    throw new LoopError(failures.documentUnknown(name, `no AIWG v2 document: neither ${aiwgKinds.join(' nor ')}`));
  }
  const problems = aiwgProblems(read.document, kind, reading);
  const known = new Set(problems.map(({ pointer }) => pointer));
  const nulls = aiwgProblems(read.document, kind, 'pure').filter(({ pointer }) => !known.has(pointer));
  return { file: name, kind, reading, valid: problems.length === 0, problems, nulls };
}

import { gunzipSync, gzipSync } from 'node:zlib';
import { type AiwgKind, aiwgProblems, type DocumentProblem } from '../formats/index.ts';
import type { RegistryDocument, StateDocument } from './documents.ts';

/** A document that was read, or what is wrong with it. */
export type Reading<Document> =
  | { readonly ok: true; readonly document: Document }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

const maxCheckpointBytes = 64 * 1024 * 1024;

/** Reads the text of a state document. Null and missing fields are accepted, and unknown fields are kept. */
export function readState(text: string): Reading<StateDocument> {
  return read<StateDocument>(text, 'state');
}

/** Reads the text of a registry, in either of its two schemas. */
export function readRegistry(text: string): Reading<RegistryDocument> {
  return read<RegistryDocument>(text, 'registry');
}

/** Reads the text of an analytics document. */
export function readAnalytics(text: string): Reading<Readonly<Record<string, unknown>>> {
  return read(text, 'analytics');
}

/** Reads a compressed checkpoint. */
export function readCheckpoint(bytes: Uint8Array): Reading<Readonly<Record<string, unknown>>> {
  try {
    return read(gunzipSync(bytes, { maxOutputLength: maxCheckpointBytes }).toString('utf8'), 'checkpoint');
  } catch {
    return { ok: false, problems: [{ pointer: '', message: 'cannot be decompressed' }] };
  }
}

/**
 * The text of a document, as AIWG's tools and ralphd write it.
 *
 * @throws RangeError for a document that is not valid.
 */
export function writeState(document: StateDocument): string {
  return written(document, 'state');
}

/**
 * The text of a registry.
 *
 * @throws RangeError for a document that is not valid.
 */
export function writeRegistry(document: RegistryDocument): string {
  return written(document, 'registry');
}

/**
 * A compressed checkpoint, for a file such as `checkpoints/iteration-001.json.gz`.
 *
 * @throws RangeError for a document that is not valid.
 */
export function writeCheckpoint(document: Readonly<Record<string, unknown>>): Uint8Array {
  return gzipSync(written(document, 'checkpoint'));
}

function read<Document>(text: string, kind: AiwgKind): Reading<Document> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return { ok: false, problems: [{ pointer: '', message: text.trim() === '' ? 'is empty' : 'is not JSON' }] };
  }
  const problems = aiwgProblems(document, kind, 'nullable');
  return problems.length === 0 ? { ok: true, document: document as Document } : { ok: false, problems };
}

function written(document: Readonly<Record<string, unknown>>, kind: AiwgKind): string {
  const [problem] = aiwgProblems(document, kind, 'nullable');
  if (problem !== undefined) throw new RangeError(`${problem.pointer || 'The document'} ${problem.message}.`);
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

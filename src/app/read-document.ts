import { readForeignFile, unpack } from '../files/index.ts';
import { isTooDeep } from '../store/index.ts';

/** Larger files are no documents of a loop. */
const maxDocumentBytes = 16 * 1024 * 1024;

/** A file that holds JSON, or why it does not, as the end of a sentence. */
export type ReadDocument =
  | { readonly document: unknown; readonly text: string; readonly why?: undefined }
  | { readonly why: string; readonly text: string };

/** Reads a file that a user named, decompressed if needed. Fails if there is no such file; never writes. */
export function readDocument(file: string): ReadDocument {
  const bytes = readForeignFile(file, maxDocumentBytes);
  const plain = unpack(bytes, maxDocumentBytes);
  if (plain === undefined) return { why: 'it cannot be decompressed', text: '' };
  const text = plain.toString('utf8').replace(/^\uFEFF/u, '');
  if (text.trim() === '') return { why: 'it is empty', text };
  if (isTooDeep(plain)) return { why: 'it is nested too deeply', text };
  try {
    return { document: JSON.parse(text) as unknown, text };
  } catch {
    return { why: 'it is not JSON', text };
  }
}

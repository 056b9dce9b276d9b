import { createHash, type Hash } from 'node:crypto';
import path from 'node:path';
import { type FilePort, look, reading } from '../files/index.ts';
import type { JournalEnd } from './manifest.ts';
import type { Part } from './pack.ts';

const segmentForm = /^(\d{4,9})-(\d{4,9})\.jsonl$/;
const sliceBytes = 256 * 1024;

/** Some bytes of the journal, and how far it goes with them. */
export interface JournalPart {
  readonly part: Part;
  readonly end: JournalEnd;
}

/** Whether a journal contains everything up to an end, byte for byte. */
export function leadsFrom(files: FilePort, folder: string, end: JournalEnd): boolean {
  return hashUpTo(files, folder, end) !== undefined;
}

/** What a journal contains after an end that it leads from, in parts of at most `maxBytes`; all of it without an end. */
export function* journalAfter(
  files: FilePort,
  folder: string,
  { end, maxBytes }: { readonly end: JournalEnd | undefined; readonly maxBytes: number },
): Iterable<JournalPart> {
  const segments = segmentsOf(files, folder);
  const from = end === undefined ? 0 : segments.indexOf(end.segment);
  for (const segment of segments.slice(Math.max(0, from))) {
    const isContinued = segment === end?.segment;
    const hash = (isContinued ? hashUpTo(files, folder, end) : undefined) ?? createHash('sha256');
    let position = isContinued ? end.bytes : 0;
    for (;;) {
      const bytes = readAt(files, path.join(folder, 'journal', segment), { position, length: maxBytes });
      if (bytes === undefined || bytes.byteLength === 0) break;
      hash.update(bytes);
      const part = { path: `journal/${segment}`, offset: position, bytes };
      position += bytes.byteLength;
      yield { part, end: { segment, bytes: position, sha256: hash.copy().digest('hex') } };
    }
  }
}

/** The names of a journal's files, oldest first. */
function segmentsOf(files: FilePort, folder: string): readonly string[] {
  const journal = path.join(folder, 'journal');
  if (look(files, journal)?.kind !== 'folder') return [];
  const order = (name: string) => (segmentForm.exec(name) ?? []).slice(1).map(Number);
  return reading(journal, () => files.list(journal))
    .filter((name) => segmentForm.test(name))
    .toSorted((one, other) => {
      const [[epoch = 0, number = 0], [otherEpoch = 0, otherNumber = 0]] = [order(one), order(other)];
      return epoch - otherEpoch || number - otherNumber;
    });
}

/** The digest under way of a file up to an end; undefined if the file does not contain exactly that. */
function hashUpTo(files: FilePort, folder: string, { segment, bytes, sha256 }: JournalEnd): Hash | undefined {
  if (!segmentForm.test(segment)) return undefined;
  const file = path.join(folder, 'journal', segment);
  const hash = createHash('sha256');
  for (let position = 0; position < bytes; ) {
    const slice = readAt(files, file, { position, length: Math.min(sliceBytes, bytes - position) });
    if (slice === undefined || slice.byteLength === 0) return undefined;
    hash.update(slice);
    position += slice.byteLength;
  }
  return hash.copy().digest('hex') === sha256 ? hash : undefined;
}

/** Some bytes of a plain file; undefined if there is none. */
function readAt(
  files: FilePort,
  place: string,
  { position, length }: { readonly position: number; readonly length: number },
): Buffer | undefined {
  if (look(files, place)?.kind !== 'file') return undefined;
  return reading(place, () => {
    const file = files.openToRead(place);
    try {
      const left = Math.max(0, files.lookAt(file).size - position);
      const into = Buffer.allocUnsafe(Math.min(length, left));
      return into.subarray(0, files.read(file, into, position));
    } finally {
      files.close(file);
    }
  });
}

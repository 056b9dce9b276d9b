import path from 'node:path';
import { failures, isLoopId, LoopError } from '../base/index.ts';
import { type FilePort, reading, type StagingFolder } from '../files/index.ts';
import { type Keys, looksLikeAge, openStream, type Sealing, sealStream } from './age.ts';
import { assertBelongs, filesBelow, type LoopFile, type LoopFolder } from './loop-files.ts';
import { createTarReader, looksLikeTar, tarEnd, tarHeader, tarPadding } from './tar.ts';

const chunkBytes = 256 * 1024;
/** Describes an archive; its first file. */
const noteName = 'ralphd-archive.json';
const maxNoteBytes = 64 * 1024;

/** The loop to archive, and when. */
export interface ArchiveSource extends LoopFolder {
  readonly loopId: string;
  readonly nowMs: number;
  /** Without it, the archive is not encrypted. */
  readonly sealing?: Sealing | undefined;
}

/** What an archive contains. */
export interface ArchiveNote {
  readonly loopId: string;
  readonly createdAt: string;
}

/** The whole folder of a loop as a tar archive, encrypted in age's format if that is wanted. */
export async function writeArchive(source: ArchiveSource): Promise<AsyncIterable<Uint8Array>> {
  const chunks = archiveChunks(source);
  return source.sealing === undefined ? chunks : await sealStream(chunks, source.sealing);
}

/** The journal comes last, so that it contains everything that the other files are based on. */
async function* archiveChunks(source: ArchiveSource): AsyncIterable<Uint8Array> {
  const { files, loopId, folder, nowMs } = source;
  const all = filesBelow(source);
  const isJournal = ({ path: name }: LoopFile) => name.startsWith('journal/');
  const listed = [...all.filter((file) => !isJournal(file)), ...all.filter(isJournal)];
  const note = Buffer.from(`${JSON.stringify(toNote(loopId, nowMs))}\n`);
  yield tarHeader({ name: `${loopId}/${noteName}`, size: note.byteLength }, nowMs);
  yield note;
  yield tarPadding(note.byteLength);
  for (const { path: name } of listed)
    yield* fileChunks(files, { name: `${loopId}/${name}`, place: path.join(folder, name), nowMs });
  yield tarEnd;
}

function toNote(loopId: string, nowMs: number) {
  return { format: 'ralphd-archive', version: 1, loopId, createdAt: new Date(nowMs).toISOString() };
}

async function* fileChunks(
  files: FilePort,
  { name, place, nowMs }: { readonly name: string; readonly place: string; readonly nowMs: number },
): AsyncIterable<Uint8Array> {
  const file = reading(place, () => files.openToRead(place));
  try {
    const { size } = files.lookAt(file);
    yield tarHeader({ name, size }, nowMs);
    for (let position = 0; position < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size - position));
      const length = reading(place, () => files.read(file, chunk, position));
      if (length === 0) throw new LoopError(failures.stateUnreadable(place, 'it was shortened while it was read'));
      yield chunk.subarray(0, length);
      position += length;
    }
    yield tarPadding(size);
  } finally {
    files.close(file);
  }
}

/** Whether a file begins like an archive, encrypted or not. */
export function looksLikeArchive(start: Uint8Array): boolean {
  return looksLikeAge(start) || looksLikeTar(start);
}

/** Where an archive is unpacked, and what opens it. */
export interface Unpacking {
  readonly keys: Keys;
  readonly staging: StagingFolder;
  /** The most bytes that its files may have in all. */
  readonly maxBytes: number;
}

/** Unpacks an archive into an empty folder and says whose it is; refuses everything that no archive of ours contains. */
export async function readArchive(
  chunks: AsyncIterable<Uint8Array>,
  { keys, staging, maxBytes }: Unpacking,
): Promise<ArchiveNote> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    return await unpack(await plainChunks(iterator, keys), { staging, maxBytes });
  } finally {
    await iterator.return?.();
  }
}

async function unpack(
  chunks: AsyncIterable<Uint8Array>,
  { staging, maxBytes }: Pick<Unpacking, 'staging' | 'maxBytes'>,
): Promise<ArchiveNote> {
  const reader = createTarReader({ maxBytes });
  let note = Buffer.alloc(0);
  let loopId: string | undefined;
  for await (const chunk of chunks) {
    for (const { name, offset, bytes } of reader.push(chunk)) {
      const [top = '', ...rest] = name.split('/');
      loopId ??= top;
      if (top !== loopId || !isLoopId(top)) throw damaged(`"${name}" in it does not belong to one loop`);
      const inner = rest.join('/');
      if (inner === noteName) note = Buffer.concat([note, bytes]);
      else {
        assertBelongs(inner);
        staging.write(inner, offset, bytes);
      }
      if (note.byteLength > maxNoteBytes) throw damaged('its description is too long');
    }
  }
  reader.end();
  return parseNote(note, loopId);
}

async function plainChunks(iterator: AsyncIterator<Uint8Array>, keys: Keys): Promise<AsyncIterable<Uint8Array>> {
  const first = await iterator.next();
  const start = first.done === true ? new Uint8Array() : first.value;
  const all = (async function* () {
    yield start;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  })();
  return looksLikeAge(start) ? openStream(all, keys) : all;
}

function parseNote(bytes: Buffer, loopId: string | undefined): ArchiveNote {
  try {
    const note = JSON.parse(bytes.toString()) as Record<string, unknown>;
    const { format, version, createdAt } = note;
    if (format === 'ralphd-archive' && version === 1 && note['loopId'] === loopId && loopId !== undefined) {
      return { loopId, createdAt: typeof createdAt === 'string' ? createdAt : '' };
    }
  } catch {
    // Falls through to the refusal.
  }
  throw damaged('it does not say which loop it contains');
}

function damaged(why: string): LoopError {
  return new LoopError(failures.backupDamaged('The archive', why));
}

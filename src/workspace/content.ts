import { createHash, hash } from 'node:crypto';
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { nodeFiles, type OpenFile } from '../files/index.ts';
import { type RawPath, toBytes, toName } from './raw-path.ts';
import { createTurns } from './turns.ts';

/** Mode and content of one file in git's terms, `100644 <id>`; `absent` where there is no file. */
export type Content = string;

interface CachedContent {
  readonly stamp: FileStamp;
  readonly content: Content;
}

/** Distinguishes two states of a file without reading it. */
type FileStamp = Readonly<Pick<Stats, 'dev' | 'ino' | 'mode' | 'size' | 'mtimeMs' | 'ctimeMs'>>;

/** Contents by path, carried from one fingerprint to the next so that unchanged files are not read again. */
export type ContentCache = ReadonlyMap<RawPath, CachedContent>;

export const absent: Content = 'gone';

const chunkBytes = 1024 * 1024;
// For all readers: what is read into it is used before anything else can happen.
let chunk: Buffer | undefined;
// Reading more would hold up the loop for seconds: a larger file is identified by its stamp.
const maxReadBytes = 256 * 1024 * 1024;
// A file changed twice within one tick of its file system's clock keeps its stamp: recent stamps are not cached.
const coarsestClockMs = 2_000;
// The system is short of resources: this says nothing about the file.
const shortageCodes = ['EMFILE', 'ENFILE', 'ENOMEM'];

interface ContentReaderOptions {
  /** The hash of the repository: `sha1` or `sha256`. */
  readonly algorithm: string;
  readonly known?: ContentCache | undefined;
  readonly now?: () => number;
}

/** Reads contents, reusing `known` where the stamp is unchanged; `cache` holds them for the next reader. */
export function createContentReader({ algorithm, known, now = Date.now }: ContentReaderOptions) {
  const cache = new Map<RawPath, CachedContent>();
  const turns = createTurns();
  const read = async (file: RawPath): Promise<Content> => {
    if (turns.isOver()) await turns.next();
    const stats = statEntry(file);
    if (stats === 'hidden') return 'unreadable';
    if (stats === undefined || stats.isDirectory()) return absent;
    const cached = known?.get(file);
    if (cached !== undefined && isSameStamp(cached.stamp, stats)) {
      cache.set(file, cached);
      return cached.content;
    }
    chunk ??= Buffer.allocUnsafe(chunkBytes);
    const content = await contentOf(file, stats, { algorithm, buffer: chunk, turns });
    if (now() - stats.ctimeMs > coarsestClockMs) cache.set(file, { stamp: stampOf(stats), content });
    return content;
  };
  return { read, cache };
}

/** Whether anything has this name, a dangling link included. */
export function exists(file: RawPath): boolean {
  return statEntry(file) !== undefined;
}

/** What has this name, without following a link. */
export function kindOf(file: RawPath): 'absent' | 'file' | 'folder' | 'link' | 'other' {
  const found = statEntry(file);
  if (found === undefined) return 'absent';
  if (found === 'hidden') return 'other';
  if (found.isSymbolicLink()) return 'link';
  if (found.isDirectory()) return 'folder';
  return found.isFile() ? 'file' : 'other';
}

function statEntry(file: RawPath): Stats | 'hidden' | undefined {
  try {
    return lstatSync(toBytes(file), { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isCode(error, 'EACCES')) return 'hidden';
    throw error;
  }
}

function stampOf({ dev, ino, mode, size, mtimeMs, ctimeMs }: Stats): FileStamp {
  return { dev, ino, mode, size, mtimeMs, ctimeMs };
}

// A program cannot set the change time: it reveals an edit that kept size and modification time.
function isSameStamp(one: FileStamp, other: FileStamp): boolean {
  return (
    one.ctimeMs === other.ctimeMs &&
    one.mtimeMs === other.mtimeMs &&
    one.size === other.size &&
    one.ino === other.ino &&
    one.mode === other.mode &&
    one.dev === other.dev
  );
}

interface Reading {
  readonly algorithm: string;
  readonly buffer: Buffer;
  readonly turns: ReturnType<typeof createTurns>;
}

async function contentOf(file: RawPath, stats: Stats, reading: Reading): Promise<Content> {
  try {
    if (stats.isSymbolicLink()) return `120000 ${blobId(readlinkSync(toBytes(file), 'buffer'), reading.algorithm)}`;
    if (!stats.isFile()) return `special ${stats.mode}`;
    const mode = (stats.mode & 0o100) === 0 ? '100644' : '100755';
    const name = toName(file);
    if (name === undefined || stats.size > maxReadBytes) return `looks ${JSON.stringify(stampOf(stats))}`;
    return `${mode} ${await fileId(name, reading)}`;
  } catch (error) {
    if (isMissing(error)) return absent;
    if (shortageCodes.some((code) => isCode(error, code))) throw error;
    // The stamp of an unreadable file still shows whether it changed.
    if (error instanceof Error && 'syscall' in error) return `unreadable ${JSON.stringify(stampOf(stats))}`;
    throw error;
  }
}

async function fileId(name: string, { algorithm, buffer, turns }: Reading): Promise<string> {
  // The file may have become a link or a pipe since the stat: opening must refuse it, not block on it.
  const opened = nodeFiles.openToRead(name);
  try {
    const length = nodeFiles.read(opened, buffer, 0);
    if (length < buffer.length) return blobId(buffer.subarray(0, length), algorithm);
    return await largeFileId(opened, { algorithm, buffer, turns });
  } finally {
    nodeFiles.close(opened);
  }
}

// A blob's hash starts with its size, and the file may grow while it is read.
async function largeFileId(opened: OpenFile, { algorithm, buffer, turns }: Reading): Promise<string> {
  const { size } = nodeFiles.lookAt(opened);
  const id = createHash(algorithm).update(`blob ${size}\0`);
  for (let position = 0; position < size; ) {
    if (turns.isOver()) await turns.next();
    const length = nodeFiles.read(opened, buffer.subarray(0, Math.min(buffer.length, size - position)), position);
    if (length === 0) break;
    id.update(buffer.subarray(0, length));
    position += length;
  }
  return id.digest('hex');
}

function blobId(bytes: Buffer, algorithm: string): string {
  return hash(algorithm, Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]));
}

export function isMissing(error: unknown): boolean {
  return isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR');
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

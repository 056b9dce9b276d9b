import { createHash, hash } from 'node:crypto';
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { nodeFiles, type OpenFile } from '../store/index.ts';
import { type RawPath, toBytes, toName } from './raw-path.ts';
import { createTurns } from './turns.ts';

/** Mode and content of one file in git's terms, `100644 <id>`; `gone` where there is no file. */
export type Content = string;

/** What the content of a file was when it was last read, and how to see that it is still the same. */
export interface Remembered {
  readonly look: Look;
  readonly content: Content;
}

/** What tells one state of a file from another without reading it. */
type Look = Readonly<Pick<Stats, 'dev' | 'ino' | 'mode' | 'size' | 'mtimeMs' | 'ctimeMs'>>;

/** Contents by path, carried from one fingerprint to the next so that unchanged files are not read again. */
export type ContentCache = ReadonlyMap<RawPath, Remembered>;

/** There is no file. */
export const GONE: Content = 'gone';

const CHUNK_BYTES = 1024 * 1024;
// Reading more would hold up the loop for seconds: of such a file its looks have to tell.
const LARGEST_READ_BYTES = 256 * 1024 * 1024;
// A file changed twice within one tick of its file system's clock looks the same: young files are not trusted.
const COARSEST_CLOCK_MS = 2_000;
// These say nothing about the file.
const SHORTAGES = ['EMFILE', 'ENFILE', 'ENOMEM'];

/** How to name contents, and what is known of them. */
export interface ContentReaderOptions {
  readonly algorithm: string;
  readonly known?: ContentCache | undefined;
  readonly now?: () => number;
}

/** Reads contents with the help of what an earlier reading remembered, and remembers them for the next. */
export function createContentReader({ algorithm, known, now = Date.now }: ContentReaderOptions) {
  const remembered = new Map<RawPath, Remembered>();
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const turns = createTurns();
  const read = async (file: RawPath): Promise<Content> => {
    if (turns.isOver()) await turns.next();
    const stats = lookAt(file);
    if (stats === 'hidden') return 'unreadable';
    if (stats === undefined || stats.isDirectory()) return GONE;
    const before = known?.get(file);
    if (before !== undefined && looksTheSame(before.look, stats)) {
      remembered.set(file, before);
      return before.content;
    }
    const content = await contentOf(file, stats, { algorithm, buffer, turns });
    if (now() - stats.ctimeMs > COARSEST_CLOCK_MS) remembered.set(file, { look: lookOf(stats), content });
    return content;
  };
  return { read, remembered };
}

/** Whether anything has this name, a dangling link included. */
export function exists(file: RawPath): boolean {
  return lookAt(file) !== undefined;
}

function lookAt(file: RawPath): Stats | 'hidden' | undefined {
  try {
    return lstatSync(toBytes(file), { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isCode(error, 'EACCES')) return 'hidden';
    throw error;
  }
}

function lookOf({ dev, ino, mode, size, mtimeMs, ctimeMs }: Stats): Look {
  return { dev, ino, mode, size, mtimeMs, ctimeMs };
}

// The change time cannot be set by a program: it gives away an edit that kept size and modification time.
function looksTheSame(one: Look, other: Look): boolean {
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
    if (name === undefined || stats.size > LARGEST_READ_BYTES) return `looks ${JSON.stringify(lookOf(stats))}`;
    return `${mode} ${await fileId(name, reading)}`;
  } catch (error) {
    if (isMissing(error)) return GONE;
    if (SHORTAGES.some((code) => isCode(error, code))) throw error;
    // A file that may not or cannot be read still shows by its looks that it changed.
    if (error instanceof Error && 'syscall' in error) return `unreadable ${JSON.stringify(lookOf(stats))}`;
    throw error;
  }
}

async function fileId(name: string, { algorithm, buffer, turns }: Reading): Promise<string> {
  // The file may have become a link or a pipe since it was looked at: such a one is refused, not waited for.
  const opened = nodeFiles.openToRead(name);
  try {
    const length = nodeFiles.read(opened, buffer, 0);
    if (length < buffer.length) return blobId(buffer.subarray(0, length), algorithm);
    return await largeFileId(opened, { algorithm, buffer, turns });
  } finally {
    nodeFiles.close(opened);
  }
}

// The name of a content begins with its size, and the file may grow while it is read.
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

/** Whether an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR');
}

/** Whether an error carries this code of the system. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

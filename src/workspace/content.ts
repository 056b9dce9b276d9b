import { createHash } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type RawPath, toBytes } from './raw-path.ts';

/** Mode and content of one file in git's terms, `100644 <id>`; `gone` where there is no file. */
export type Content = string;

/** What the content of a file was when it was last read, and how to see that it is still the same. */
export interface Remembered {
  readonly stat: string;
  readonly content: Content;
}

/** Contents by path, carried from one fingerprint to the next so that unchanged files are not read again. */
export type ContentCache = ReadonlyMap<RawPath, Remembered>;

/** There is no file. */
export const GONE: Content = 'gone';

const READ_AT_ONCE_BYTES = 1024 * 1024;
// A file changed twice within one tick of its file system's clock looks the same: young files are not trusted.
const COARSEST_CLOCK_MS = 2_000;

/** How to name contents, and what is known of them. */
export interface ContentReaderOptions {
  readonly algorithm: string;
  readonly known?: ContentCache | undefined;
  readonly now?: () => number;
}

/** Reads contents with the help of what an earlier reading remembered, and remembers them for the next. */
export function createContentReader({ algorithm, known, now = Date.now }: ContentReaderOptions) {
  const remembered = new Map<RawPath, Remembered>();
  const read = async (file: RawPath): Promise<Content> => {
    const stats = await statsOf(file);
    if (stats === undefined || stats.isDirectory()) return GONE;
    const stat = statKey(stats);
    const before = known?.get(file);
    const content = before?.stat === stat ? before.content : await contentOf(file, stats, algorithm);
    if (now() - Number(stats.ctimeMs) > COARSEST_CLOCK_MS) remembered.set(file, { stat, content });
    return content;
  };
  return { read, remembered };
}

/** Whether anything has this name, a dangling link included. */
export async function exists(file: RawPath): Promise<boolean> {
  return (await statsOf(file)) !== undefined;
}

async function statsOf(file: RawPath): Promise<BigIntStats | undefined> {
  try {
    return await lstat(toBytes(file), { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

// The change time cannot be set by a program: it gives away an edit that kept size and modification time.
function statKey(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}

async function contentOf(file: RawPath, stats: BigIntStats, algorithm: string): Promise<Content> {
  try {
    if (stats.isSymbolicLink()) return `120000 ${blobId(await readlink(toBytes(file), 'buffer'), algorithm)}`;
    if (!stats.isFile()) return `special ${stats.mode}`;
    const mode = (stats.mode & 0o100n) === 0n ? '100644' : '100755';
    return `${mode} ${await fileId(file, stats.size, algorithm)}`;
  } catch (error) {
    if (isMissing(error)) return GONE;
    // A file we may not read still shows by its stat data that it changed.
    if (isCode(error, 'EACCES')) return `unreadable ${statKey(stats)}`;
    throw error;
  }
}

function blobId(bytes: Buffer, algorithm: string): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

async function fileId(file: RawPath, size: bigint, algorithm: string): Promise<string> {
  if (size <= READ_AT_ONCE_BYTES) return blobId(await readFile(toBytes(file)), algorithm);
  const hash = createHash(algorithm).update(`blob ${size}\0`);
  await pipeline(createReadStream(toBytes(file)), hash);
  return hash.digest('hex');
}

/** Whether an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR');
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

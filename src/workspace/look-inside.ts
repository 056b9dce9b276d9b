import { type BigIntStats, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { nodeFiles } from '../store/index.ts';

/** What stands at a path of the work tree. */
export type SeenFile =
  | { readonly kind: 'missing' }
  /** It is there, but no plain file: a folder, a pipe. */
  | { readonly kind: 'other' }
  /** Nobody can tell: it leads out of the work tree, or cannot be read. */
  | { readonly kind: 'unknown'; readonly why: string }
  | PlainFile;

/** A plain file, and as much of it as was asked for. */
export interface PlainFile {
  readonly kind: 'file';
  readonly modifiedMs: number;
  /** Another one after each write to it. */
  readonly stamp: string;
  /** The whole file; of one that is too long, its beginning and its end. */
  readonly parts: readonly Buffer[];
  readonly isWhole: boolean;
}

const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** Looks at one file of a work tree and reads at most `most` bytes of it. A link counts as what it leads to. */
export function lookInside(folder: string, name: string, most: number): SeenFile {
  try {
    const root = realpathSync(folder);
    const real = realpathSync(path.join(folder, name));
    if (real !== root && !real.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) {
      return { kind: 'unknown', why: 'it leads out of the working directory' };
    }
    const stats = lstatSync(real, { bigint: true });
    return stats.isFile() ? readPlain(real, stats, most) : { kind: 'other' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    return absent.has(code) ? { kind: 'missing' } : { kind: 'unknown', why: `it cannot be read (${String(code)})` };
  }
}

function readPlain(real: string, { mtimeNs, ctimeNs, ino }: BigIntStats, most: number): SeenFile {
  // What stands there by now may be something else, such as a pipe: to open it must not mean to wait for its writer.
  const file = nodeFiles.openToRead(real);
  try {
    const { kind, size } = nodeFiles.lookAt(file);
    if (kind !== 'file') return { kind: 'other' };
    const isWhole = size <= most;
    const half = Math.floor(most / 2);
    const readAt = (at: number, length: number) => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, nodeFiles.read(file, bytes, at));
    };
    const parts = isWhole ? [readAt(0, size)] : [readAt(0, half), readAt(size - half, half)];
    return { kind: 'file', modifiedMs: Number(mtimeNs) / 1e6, stamp: `${ino} ${ctimeNs}`, parts, isWhole };
  } finally {
    nodeFiles.close(file);
  }
}

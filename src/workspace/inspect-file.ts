import { type BigIntStats, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { nodeFiles } from '../files/index.ts';

/** What is at a path of the work tree. */
type InspectedFile =
  | { readonly kind: 'missing' }
  /** Something other than a plain file: a folder, a pipe. */
  | { readonly kind: 'other' }
  /** It is outside the work tree, or cannot be read. */
  | { readonly kind: 'unknown'; readonly reason: string }
  | PlainFile;

/** A plain file, with as much of its content as was requested. */
export interface PlainFile {
  readonly kind: 'file';
  readonly modifiedMs: number;
  /** Changes with each write to the file. */
  readonly stamp: string;
  /** The whole file, or the beginning and the end of one that is too long. */
  readonly parts: readonly Buffer[];
  readonly isWhole: boolean;
}

const missingCodes: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** Reads at most `maxBytes` bytes of one file of a work tree. A link counts as its target. */
export function inspectFile(folder: string, name: string, maxBytes: number): InspectedFile {
  try {
    const root = realpathSync(folder);
    const real = realpathSync(path.join(folder, name));
    if (real !== root && !real.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) {
      return { kind: 'unknown', reason: 'it leads out of the working directory' };
    }
    const stats = lstatSync(real, { bigint: true });
    return stats.isFile() ? readPlainFile(real, stats, maxBytes) : { kind: 'other' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    if (missingCodes.has(code)) return { kind: 'missing' };
    return { kind: 'unknown', reason: `it cannot be read (${String(code)})` };
  }
}

function readPlainFile(real: string, { mtimeNs, ctimeNs, ino }: BigIntStats, maxBytes: number): InspectedFile {
  // A pipe may have taken its place since: opening must not wait for a writer.
  const file = nodeFiles.openToRead(real);
  try {
    const { kind, size } = nodeFiles.lookAt(file);
    if (kind !== 'file') return { kind: 'other' };
    const isWhole = size <= maxBytes;
    const half = Math.floor(maxBytes / 2);
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

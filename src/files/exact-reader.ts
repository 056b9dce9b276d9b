import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** A regular file: its attributes before it was read, and all its bytes. */
export interface ExactFile {
  readonly stats: BigIntStats;
  /** Valid until the next file is read. */
  readonly bytes: Buffer;
  /** The same bytes with a text before them, without copying. */
  readonly withPrefix: (prefix: string) => Buffer;
}

/** Reads whole files into one buffer. */
export interface ExactReader {
  /** Undefined for anything but a regular file, and for one longer than `maxBytes`. */
  read(file: Buffer): ExactFile | undefined;
}

/** The longest text that fits before the bytes of a file. */
const prefixBytes = 64;
const usualBytes = 256 * 1024;
// A link in place of a file must not be followed, and a pipe must not block.
const toRead = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Creates a reader for thousands of files in a row, by the bytes of their names. */
export function createExactReader({ maxBytes }: { readonly maxBytes: number }): ExactReader {
  const usual = Buffer.allocUnsafe(prefixBytes + usualBytes);
  return {
    read(file) {
      const opened = openSync(file, toRead);
      try {
        const stats = fstatSync(opened, { bigint: true });
        if (!stats.isFile() || stats.size > maxBytes) return undefined;
        const { buffer, end } = readWhole(opened, usual, Number(stats.size));
        return {
          stats,
          bytes: buffer.subarray(prefixBytes, end),
          withPrefix: (prefix) => {
            const start = prefixBytes - Buffer.byteLength(prefix);
            buffer.write(prefix, start);
            return buffer.subarray(start, end);
          },
        };
      } finally {
        closeSync(opened);
      }
    },
  };
}

/** Reads to the end, even if the file grows while it is read. */
function readWhole(opened: number, usual: Buffer, size: number): { readonly buffer: Buffer; readonly end: number } {
  // One byte more than expected: if a read leaves it empty, the end is reached.
  let buffer = size < usualBytes ? usual : Buffer.allocUnsafe(prefixBytes + size + 1);
  let end = prefixBytes;
  for (;;) {
    const room = buffer.length - end;
    const length = readSync(opened, buffer, end, room, null);
    end += length;
    if (length === 0 || (length < room && end - prefixBytes >= size)) return { buffer, end };
    if (length === room) buffer = Buffer.concat([buffer], buffer.length * 2);
  }
}

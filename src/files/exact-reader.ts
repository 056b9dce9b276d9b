import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** A plain file as it was found: its state before it was read, and every byte. */
export interface ExactFile {
  readonly stats: BigIntStats;
  /** Valid until the next file is read. */
  readonly bytes: Buffer;
  /** The same bytes with a text before them, without a copy of either. */
  readonly withPrefix: (prefix: string) => Buffer;
}

/** Reads whole files into one buffer. */
export interface ExactReader {
  /** Undefined for anything but a plain file, and for one that is longer than `maxBytes`. */
  read(file: Buffer): ExactFile | undefined;
}

/** The longest text that fits before the bytes of a file. */
const prefixBytes = 64;
const usualBytes = 256 * 1024;
// A link or a pipe that takes the place of a file must neither be followed nor waited for.
const toRead = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Creates a reader of files by the bytes of their names, for thousands of them in a row. */
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

/** Reads to the end, wherever that is by then: a file may grow while it is read. */
function readWhole(opened: number, usual: Buffer, size: number): { readonly buffer: Buffer; readonly end: number } {
  // Room for one byte more than expected: a read that leaves it empty has found the end.
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

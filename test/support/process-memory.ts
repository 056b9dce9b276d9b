import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

const mapLine = /^([0-9a-f]+)-([0-9a-f]+) r\S* \S+ \S+ \S+\s*(.*)$/gm;
const chunkBytes = 16 * 1024 * 1024;

/**
 * Everything that a process has in memory, which is at least what its core dump would contain, in pieces. Linux only, and only
 * for processes that this one started.
 */
export function* memoryOf(pid: number): Generator<Buffer> {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const [, start, end, name] of readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(mapLine)) {
      // The kernel's own pages cannot be read.
      if (name === '[vvar]' || name === '[vsyscall]' || name === '[vvar_vclock]') continue;
      yield* piecesBetween(memory, Number.parseInt(start ?? '', 16), Number.parseInt(end ?? '', 16));
    }
  } finally {
    closeSync(memory);
  }
}

function* piecesBetween(memory: number, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += chunkBytes) {
    const piece = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
    let length = 0;
    try {
      length = readSync(memory, piece, 0, piece.byteLength, at);
    } catch {
      // Reserved and never used, or gone since the list was read.
    }
    if (length > 0) yield piece.subarray(0, length);
  }
}

import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { nodeFiles } from '../../files/index.ts';
import { absent } from '../../protocol/index.ts';

const maxChunkBytes = 1024 * 1024;
// Reading more would hold up the loop for seconds: a larger file is identified by size and modification time.
const maxReadBytes = 256 * 1024 * 1024;

/** The digest of a file itself, never of a link's target: a link in place of a file is a change. */
export function fileDigest(file: string): string {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return absent;
    if (stats.isSymbolicLink()) return `link ${hash(readlinkSync(file, 'buffer'))}`;
    if (!stats.isFile()) return 'special';
    return stats.size > maxReadBytes ? `looks ${stats.size} ${stats.mtimeMs}` : contentHash(file, stats.size);
  } catch {
    return absent;
  }
}

export function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

function contentHash(file: string, bytes: number): string {
  const digest = createHash('sha256');
  const chunk = Buffer.allocUnsafe(Math.min(bytes + 1, maxChunkBytes));
  const opened = nodeFiles.openToRead(file);
  try {
    for (let position = 0; ; ) {
      const length = nodeFiles.read(opened, chunk, position);
      if (length === 0) return digest.digest('hex').slice(0, 32);
      digest.update(chunk.subarray(0, length));
      position += length;
    }
  } finally {
    nodeFiles.close(opened);
  }
}

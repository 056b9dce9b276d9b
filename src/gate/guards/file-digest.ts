import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { absent } from '../../protocol/index.ts';
import { nodeFiles } from '../../store/index.ts';

const chunkBytes = 1024 * 1024;
// Reading more would hold up the loop for seconds: of such a file its looks have to tell.
const largestReadBytes = 256 * 1024 * 1024;

/** The content of a file, never what stands behind a link: a link in the place of a file is another thing. */
export function fileDigest(file: string): string {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return absent;
    if (stats.isSymbolicLink()) return `link ${hash(readlinkSync(file, 'buffer'))}`;
    if (!stats.isFile()) return 'special';
    return stats.size > largestReadBytes ? `looks ${stats.size} ${stats.mtimeMs}` : contentHash(file);
  } catch {
    return absent;
  }
}

/** The digest of a text that is already here. */
export function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

function contentHash(file: string): string {
  const digest = createHash('sha256');
  const chunk = Buffer.allocUnsafe(chunkBytes);
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

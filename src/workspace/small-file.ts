import { nodeFiles } from '../store/index.ts';
import { type RawPath, toName } from './raw-path.ts';

const LARGEST_BYTES = 1024 * 1024;

/** The bytes of a small plain file, or its beginning; undefined for anything else, such as a link or a pipe. */
export function readSmallFile(file: RawPath, most = LARGEST_BYTES): Buffer | undefined {
  const name = toName(file);
  if (name === undefined) return undefined;
  try {
    const opened = nodeFiles.openToRead(name);
    try {
      const { kind, size } = nodeFiles.lookAt(opened);
      if (kind !== 'file') return undefined;
      const bytes = Buffer.alloc(Math.min(size, most));
      return bytes.subarray(0, nodeFiles.read(opened, bytes, 0));
    } finally {
      nodeFiles.close(opened);
    }
  } catch {
    return undefined;
  }
}

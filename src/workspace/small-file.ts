import { realpathSync } from 'node:fs';
import { nodeFiles } from '../files/index.ts';
import { type RawPath, toName, toRaw } from './raw-path.ts';

const defaultMaxBytes = 1024 * 1024;

/** The first bytes of a plain file; undefined for anything else, such as a link or a pipe. */
export function readSmallFile(file: RawPath, maxBytes = defaultMaxBytes): Buffer | undefined {
  const name = toName(file);
  if (name === undefined) return undefined;
  try {
    const opened = nodeFiles.openToRead(name);
    try {
      const { kind, size } = nodeFiles.lookAt(opened);
      if (kind !== 'file') return undefined;
      const bytes = Buffer.alloc(Math.min(size, maxBytes));
      return bytes.subarray(0, nodeFiles.read(opened, bytes, 0));
    } finally {
      nodeFiles.close(opened);
    }
  } catch {
    return undefined;
  }
}

/** The text of a plain file, also where links lead to it; undefined for anything else. */
export function readLinkedText(name: string): string | undefined {
  try {
    return readSmallFile(toRaw(realpathSync(name)))?.toString('utf8');
  } catch {
    return undefined;
  }
}

/** The text of a small plain file, one character per byte; empty for anything else. */
export function readSmallText(file: RawPath): string {
  return readSmallFile(file)?.toString('latin1') ?? '';
}

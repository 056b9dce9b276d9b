import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { errorCode, quietly, reading, writing } from './disk-errors.ts';
import type { FilePort, OpenFile } from './file-port.ts';
import { assertSafe, lookSafely } from './folders.ts';

/**
 * Writes a file so that after any crash either the old or the new content is complete.
 * The new content is re-read and compared before it replaces anything.
 */
export function writeFileDurably(files: FilePort, place: string, bytes: Uint8Array): void {
  const folder = path.dirname(place);
  lookSafely(files, folder, 'folder');
  lookSafely(files, place, 'file');
  const temporary = path.join(folder, `.${path.basename(place)}.${files.uniqueName()}.tmp`);
  writing(place, () => {
    try {
      fill(files, files.create(temporary), bytes);
      if (!readWhole(files, temporary, { limit: bytes.byteLength }).equals(bytes)) {
        throw new Error('the bytes read back differ from those written');
      }
      files.rename(temporary, place);
    } catch (error) {
      quietly(() => files.remove(temporary));
      throw error;
    }
    files.syncFolder(folder);
  });
}

/**
 * Writes a file so that readers see either the old or the new content, complete. Until `settleFile` is called, a power
 * cut may lose or corrupt it; the death of this process does not.
 */
export function placeFile(files: FilePort, place: string, bytes: Uint8Array): void {
  const folder = path.dirname(place);
  lookSafely(files, folder, 'folder');
  lookSafely(files, place, 'file');
  const temporary = path.join(folder, `.${path.basename(place)}.${files.uniqueName()}.tmp`);
  writing(place, () => {
    const file = files.create(temporary);
    try {
      try {
        writeAll(files, file, bytes);
      } finally {
        files.close(file);
      }
      files.rename(temporary, place);
    } catch (error) {
      quietly(() => files.remove(temporary));
      throw error;
    }
  });
}

/**
 * The same for a file that nobody looks for yet. Usually it is not there; then it is written where it belongs, without a
 * second name.
 */
export function placeNewFile(files: FilePort, place: string, bytes: Uint8Array): void {
  const isPlaced = writing(place, () => {
    const file = createNew(files, place);
    if (file === undefined) return false;
    try {
      writeAll(files, file, bytes);
    } finally {
      files.close(file);
    }
    return true;
  });
  if (!isPlaced) placeFile(files, place, bytes);
}

/** Makes a placed file and its name durable. */
export function settleFile(files: FilePort, place: string): void {
  writing(place, () => {
    const file = files.openToRead(place);
    try {
      files.sync(file);
    } finally {
      files.close(file);
    }
    files.syncFolder(path.dirname(place));
  });
}

/** Creates a new file durably; false, and nothing changed, if the name is taken. */
export function createFileExclusively(files: FilePort, place: string, bytes: Uint8Array): boolean {
  const folder = path.dirname(place);
  lookSafely(files, folder, 'folder');
  return writing(place, () => {
    const file = createNew(files, place);
    if (file === undefined) return false;
    try {
      fill(files, file, bytes);
      files.syncFolder(folder);
    } catch (error) {
      quietly(() => files.remove(place));
      throw error;
    }
    return true;
  });
}

/** Reads a regular file from an offset, to its end or up to a length; refuses links, pipes and files over `limit`. */
export function readWhole(
  files: FilePort,
  place: string,
  options: { readonly limit: number; readonly from?: number; readonly length?: number },
): Buffer {
  return reading(place, () => {
    const file = files.openToRead(place);
    try {
      const info = files.lookAt(file);
      assertSafe(files, place, { info, kind: 'file' });
      if (info.size > options.limit) {
        throw new LoopError(
          failures.stateUnreadable(place, `it has ${info.size} bytes, more than the limit of ${options.limit}`),
        );
      }
      const from = options.from ?? 0;
      const length = Math.min(Math.max(0, info.size - from), options.length ?? info.size);
      return readAt(files, file, { position: from, length });
    } finally {
      files.close(file);
    }
  });
}

/** Reads a whole plain file as `readWhole` does; undefined if there is none. */
export function readIfThere(files: FilePort, place: string, options: { readonly limit: number }): Buffer | undefined {
  try {
    return readWhole(files, place, options);
  } catch (error) {
    if (error instanceof LoopError && errorCode(error.cause) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads the first bytes of a regular file, at most as many as fit in `into`; what it returns is a part of that. */
export function readStart(files: FilePort, place: string, into: Buffer): Buffer {
  return reading(place, () => {
    const file = files.openToRead(place);
    try {
      assertSafe(files, place, { info: files.lookAt(file), kind: 'file' });
      // Without its size, which takes the decryption of all of it if the file is encrypted.
      return fillFrom(files, file, { position: 0, into });
    } finally {
      files.close(file);
    }
  });
}

/** Writes every byte, however many calls the system needs. */
export function writeAll(files: FilePort, file: OpenFile, bytes: Uint8Array): void {
  let rest = bytes;
  while (rest.byteLength > 0) {
    const taken = files.write(file, rest);
    if (taken <= 0) throw new Error('the system wrote no bytes');
    rest = rest.subarray(taken);
  }
}

function createNew(files: FilePort, place: string): OpenFile | undefined {
  try {
    return files.create(place);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    throw error;
  }
}

function fill(files: FilePort, file: OpenFile, bytes: Uint8Array): void {
  try {
    writeAll(files, file, bytes);
    files.sync(file);
  } finally {
    files.close(file);
  }
}

function readAt(
  files: FilePort,
  file: OpenFile,
  range: { readonly position: number; readonly length: number },
): Buffer {
  return fillFrom(files, file, { position: range.position, into: Buffer.allocUnsafe(range.length) });
}

function fillFrom(
  files: FilePort,
  file: OpenFile,
  { position, into }: { readonly position: number; readonly into: Buffer },
): Buffer {
  let filled = 0;
  while (filled < into.byteLength) {
    const rest = filled === 0 ? into : into.subarray(filled);
    const count = files.read(file, rest, position + filled);
    if (count <= 0) break;
    filled += count;
  }
  return into.subarray(0, filled);
}

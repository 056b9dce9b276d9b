import { reading } from './disk-errors.ts';
import type { FilePort } from './file-port.ts';
import { assertSafe, look } from './folders.ts';

/** A file that another process may still append to. It stays readable to its end even if it is replaced. */
export interface GrowingFile extends Disposable {
  /** The next bytes, valid until the next call; undefined if there are none for now. */
  next(): Uint8Array | undefined;
}

const chunkBytes = 64 * 1024;

/** Opens a file to read it from its start in bounded memory; undefined if it does not exist. */
export function openGrowingFile(files: FilePort, place: string): GrowingFile | undefined {
  if (look(files, place) === undefined) return undefined;
  return reading(place, () => {
    const file = files.openToRead(place);
    assertSafe(files, place, { info: files.lookAt(file), kind: 'file' });
    const buffer = Buffer.allocUnsafe(chunkBytes);
    let position = 0;
    return {
      next: () =>
        reading(place, () => {
          const length = files.read(file, buffer, position);
          position += length;
          return length === 0 ? undefined : buffer.subarray(0, length);
        }),
      [Symbol.dispose]: () => files.close(file),
    };
  });
}

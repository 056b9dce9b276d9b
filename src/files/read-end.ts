import { reading } from './disk-errors.ts';
import type { FilePort } from './file-port.ts';
import { assertSafe, look } from './folders.ts';

/** The last bytes of a file, at most `length`; empty if the file does not exist. */
export function readEnd(files: FilePort, place: string, length: number): Buffer {
  if (look(files, place) === undefined) return Buffer.alloc(0);
  return reading(place, () => {
    const file = files.openToRead(place);
    try {
      const info = files.lookAt(file);
      assertSafe(files, place, { info, kind: 'file' });
      const bytes = Buffer.alloc(Math.min(length, info.size));
      return bytes.subarray(0, files.read(file, bytes, info.size - bytes.byteLength));
    } finally {
      files.close(file);
    }
  });
}

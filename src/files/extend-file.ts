import { closeSync, constants, fstatSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { errorCode, writing } from './disk-errors.ts';

const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;

/** Writes bytes at the end of a file that has to be so long already; longer, and the rest is cut off. Nothing is synced. */
export function extendFile(place: string, length: number, bytes: Uint8Array): void {
  writing(place, () => {
    const file = openSync(place, flags, 0o600);
    try {
      const { size } = fstatSync(file);
      if (size < length) throw new Error(`it has ${size} bytes, fewer than the ${length} written before`);
      if (size > length) ftruncateSync(file, length);
      for (let done = 0; done < bytes.byteLength; ) done += writeSync(file, bytes, done, undefined, length + done);
    } finally {
      closeSync(file);
    }
  });
}

/** Removes a file; a missing one is not an error. */
export function removeFileAt(place: string): void {
  writing(place, () => {
    try {
      unlinkSync(place);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  });
}

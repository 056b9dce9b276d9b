import { closeSync, openSync, readSync } from 'node:fs';

let scratch = Buffer.alloc(64 * 1024);

/**
 * What a file below `/proc` says; undefined where it cannot be read: processes end while we read them, and those of other
 * users can't be read, and neither is an error. The bytes are valid until the next call: there are many processes, and all
 * of them are read.
 */
export function readProc(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    let length = readSync(file, scratch);
    for (let more = length; more > 0 && length === scratch.length; length += more) {
      scratch = Buffer.concat([scratch], scratch.length * 4);
      more = readSync(file, scratch, length, scratch.length - length, null);
    }
    return scratch.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

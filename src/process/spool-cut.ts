import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type Spool, type Stream, streamNames } from './spool.ts';

/** A spool that is larger than this loses its middle when the run has ended. */
const maxSpoolBytes = 64 * 1024 * 1024;

const chunkBytes = 1024 * 1024;
const lineBytes = 64;
const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const ownerOnly = 0o600;

/** Cuts the middle out of outputs that are too large to keep; a line in its place states how much is missing. */
export function cutSpool(spool: Spool, maxBytes = maxSpoolBytes): void {
  for (const stream of streamNames) {
    if (fstatSync(spool.files[stream]).size > maxBytes) cutMiddle(spool, stream, maxBytes);
  }
}

/** What stays is copied and replaces the whole file in one step, so that no reader finds part of it missing. */
function cutMiddle({ files, folder }: Spool, stream: Stream, maxBytes: number): void {
  const whole = files[stream];
  const { size } = fstatSync(whole);
  const half = Math.floor(maxBytes / 2);
  const tailBytes = maxBytes - half - lineBytes;
  const file = path.join(folder, stream);
  rmSync(`${file}.cut`, { force: true });
  const part = openSync(`${file}.cut`, newFileFlags, ownerOnly);
  try {
    copy(whole, part, { from: 0, bytes: half });
    writeSync(part, cutLine(size - half - tailBytes));
    copy(whole, part, { from: size - tailBytes, bytes: tailBytes });
  } finally {
    closeSync(part);
  }
  renameSync(`${file}.cut`, file);
}

function cutLine(missingBytes: number): Buffer {
  const line = Buffer.alloc(lineBytes, ' ');
  line.write(`\n[… ${missingBytes} bytes left out …]`);
  line.write('\n', lineBytes - 1);
  return line;
}

function copy(whole: number, part: number, { from, bytes }: { readonly from: number; readonly bytes: number }): void {
  const buffer = Buffer.alloc(Math.min(chunkBytes, bytes));
  for (let done = 0; done < bytes; ) {
    const length = readSync(whole, buffer, 0, Math.min(buffer.length, bytes - done), from + done);
    if (length === 0) return;
    done += writeSync(part, buffer, 0, length);
  }
}

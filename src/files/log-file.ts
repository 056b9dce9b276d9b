import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { writing } from './disk-errors.ts';
import type { OpenFile } from './file-port.ts';

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;

/** Opens a log for appending, readable only by its owner; creates it if it is missing. */
export function openLog(place: string): OpenFile {
  return writing(place, () => openSync(place, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600));
}

/** Moves a log to its final path; open descriptors keep writing to it. */
export function moveLog(from: string, to: string): void {
  if (from !== to) writing(to, () => renameSync(from, to));
}

/** The maximum size of a log, and how much of its end is kept when it grows beyond that. */
export interface LogBounds {
  readonly maxBytes: number;
  readonly keepBytes: number;
}

/** Removes the oldest lines of a log that is too long. Only for its single writer. */
export function trimLog(log: OpenFile, { maxBytes, keepBytes }: LogBounds): void {
  const { size } = fstatSync(log);
  if (size <= maxBytes) return;
  const end = Buffer.alloc(keepBytes);
  const length = readSync(log, end, 0, keepBytes, size - keepBytes);
  const kept = end.subarray(0, length);
  // Whole lines only: the first one is probably incomplete.
  const start = kept.indexOf(0x0a) + 1;
  ftruncateSync(log, 0);
  writeSync(log, `… ${size - length + start} bytes of older lines were removed …\n`);
  writeSync(log, kept.subarray(start));
}

/** When a log is rotated, and how many older ones are kept. */
export interface Rotation {
  readonly maxBytes: number;
  readonly kept: number;
}

/**
 * Appends to a log that several processes share. One that is full becomes `NAME.1`, and so on; the oldest is replaced.
 */
export function appendToRotated(place: string, text: string, { maxBytes, kept }: Rotation): void {
  const log = openLog(place);
  try {
    writing(place, () => writeSync(log, text));
    const { size, ino } = fstatSync(log);
    if (size < maxBytes) return;
    // Another process may have rotated it meanwhile.
    if (lstatSync(place, { throwIfNoEntry: false })?.ino !== ino) return;
    for (let number = kept - 1; number >= 1; number -= 1) {
      if (lstatSync(`${place}.${number}`, { throwIfNoEntry: false }) !== undefined)
        moveLog(`${place}.${number}`, `${place}.${number + 1}`);
    }
    moveLog(place, `${place}.1`);
  } finally {
    closeSync(log);
  }
}

import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { errorCode, reading, writing } from './disk-errors.ts';
import { randomBytes } from './random-bytes.ts';

/**
 * Writes a file of the user's configuration, completely or not at all. It keeps the mode of the file that it replaces;
 * links above it are allowed.
 */
export function putUserFile(place: string, text: string): void {
  writing(place, () => {
    mkdirSync(path.dirname(place), { recursive: true });
    const temporary = path.join(path.dirname(place), `.${path.basename(place)}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      const mode = (lstatSync(place, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
      writeFileSync(temporary, text, { mode, flag: 'wx', flush: true });
      renameSync(temporary, place);
    } finally {
      rmSync(temporary, { force: true });
    }
  });
}

/** Reads a file of the user's configuration; undefined if it does not exist. */
export function readUserFile(place: string): string | undefined {
  return reading(place, () => {
    try {
      return readFileSync(place, 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  });
}

/** Adds a text to the end of a file of the user's; creates the file if it is missing. */
export function appendToUserFile(place: string, text: string | Uint8Array): void {
  writing(place, () => {
    mkdirSync(path.dirname(place), { recursive: true });
    appendFileSync(place, text);
  });
}

/** Removes a file or link of the user's configuration; a missing one is not an error. */
export function removeUserFile(place: string): void {
  writing(place, () => rmSync(place, { force: true }));
}

/** The names in a folder of the user's configuration; empty if it does not exist. */
export function listUserFiles(folder: string): readonly string[] {
  return existsSync(folder) ? reading(folder, () => readdirSync(folder).sort()) : [];
}

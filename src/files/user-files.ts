import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, reading, writing } from './disk-errors.ts';
import { randomBytes } from './random-bytes.ts';

/** Puts a text into a file of the user's own configuration, whole or not at all; links above it are the user's. */
export function putUserFile(place: string, text: string): void {
  writing(place, () => {
    mkdirSync(path.dirname(place), { recursive: true });
    const temporary = path.join(path.dirname(place), `.${path.basename(place)}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
      renameSync(temporary, place);
    } finally {
      rmSync(temporary, { force: true });
    }
  });
}

/** A file of the user's own configuration; undefined if it is not there. */
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

/** Removes a file or a link of the user's own configuration; one that is gone already is no failure. */
export function removeUserFile(place: string): void {
  writing(place, () => rmSync(place, { force: true }));
}

/** The names in a folder of the user's own configuration; none if it is not there. */
export function listUserFiles(folder: string): readonly string[] {
  return existsSync(folder) ? reading(folder, () => readdirSync(folder).sort()) : [];
}

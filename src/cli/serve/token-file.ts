import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { failures, LoopError } from '../../base/index.ts';
import { createFileExclusively, nodeFiles } from '../../files/index.ts';

const minLength = 32;

/** The token in a file that only its user can read; a missing file is created with a new one. */
export function readToken(file: string): string {
  try {
    const token = randomBytes(32).toString('base64url');
    if (createFileExclusively(nodeFiles, file, Buffer.from(`${token}\n`))) return token;
    const found = lstatSync(file);
    if (!found.isFile()) throw new Error('it is not a plain file');
    if ((found.mode & 0o077) !== 0) throw new Error('other users can read or change it; run "chmod 600" on it');
    const known = readFileSync(file, 'utf8').trim();
    if (known.length < minLength || /\s/u.test(known)) throw new Error(`it has less than ${minLength} characters`);
    return known;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LoopError(failures.tokenFileUnusable(file, why), { cause: error });
  }
}

import { constants } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

/** The most bytes that a prompt may have with all that it includes. */
export const largestPrompt = 8 * 1024 * 1024;

/** A file that was read. */
export interface ReadText {
  readonly text: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** Why a file could not be read, in words that go on after "cannot be read:". */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
}

/** The text of a regular file, as it is: never that of a pipe, which would have to wait for a writer. */
export async function readText(file: string): Promise<ReadText> {
  try {
    return await readRegular(file);
  } catch (error) {
    throw error instanceof UnreadableText ? error : new UnreadableText(reasonOf(error), { cause: error });
  }
}

async function readRegular(file: string): Promise<ReadText> {
  const found = await stat(file);
  if (found.isDirectory()) throw new UnreadableText('it is a folder');
  if (!found.isFile()) throw new UnreadableText('it is not a regular file');
  assertSize(found.size);
  // Somebody may put a pipe in its place, or write more, between the two calls.
  const bytes = await readFile(file, { flag: constants.O_RDONLY | constants.O_NONBLOCK });
  assertSize(bytes.length);
  // A byte order mark is part of the text: nothing that is read here is changed.
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  return { text, bytes: bytes.length, modifiedMs: found.mtimeMs };
}

function assertSize(bytes: number): void {
  if (bytes > largestPrompt) throw new UnreadableText(`it is larger than ${largestPrompt} bytes`);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission is denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ELOOP: 'its symbolic links go in a circle',
  ENAMETOOLONG: 'its name is too long',
  ENXIO: 'it is not a regular file',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
  ERR_INVALID_ARG_VALUE: 'its name has a character that no name can have',
};

/** The cause of a failed system call, in plain words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}

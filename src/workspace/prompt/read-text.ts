import { constants } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { reasonOf } from '../../files/index.ts';

/** The maximum size of a prompt with all its includes and values. */
export const maxPromptBytes = 8 * 1024 * 1024;

/** That size in words. */
export const promptSizeLimit = `${maxPromptBytes} bytes (8 MiB)`;

export interface ReadText {
  readonly text: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** Its message completes the sentence "cannot be read: …". */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
}

/** A text that is larger than any prompt may be. */
export class OversizedText extends UnreadableText {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`it has ${bytes} bytes; the limit is ${promptSizeLimit}`);
    this.bytes = bytes;
  }
}

/** The unchanged text of a regular file; a pipe is refused, because reading it would wait for a writer. */
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
  // Between the two calls a pipe may take its place, or the file may grow.
  const bytes = await readFile(file, { flag: constants.O_RDONLY | constants.O_NONBLOCK });
  assertSize(bytes.length);
  // A byte order mark is part of the text: nothing that is read here is changed.
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  return { text, bytes: bytes.length, modifiedMs: found.mtimeMs };
}

function assertSize(bytes: number): void {
  if (bytes > maxPromptBytes) throw new OversizedText(bytes);
}

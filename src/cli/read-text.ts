import { createReadStream } from 'node:fs';
import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import type { Surroundings } from './surroundings.ts';

/** The most bytes that one character takes in UTF-8. */
const bytesPerCharacter = 4;

/** The text of the file that `--file` names, or of stdin for `-`; refuses one that is too long. */
export async function readText(file: string, maxLength: number, { cwd, stdin }: Surroundings): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of file === '-' ? stdin : createReadStream(path.resolve(cwd, file))) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes > maxLength * bytesPerCharacter) break;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new LoopError(failures.fileUnreadable(file, error.message), { cause: error });
  }
  const text = Buffer.concat(parts).toString('utf8').trim();
  if (text.length <= maxLength) return text;
  throw new LoopError(failures.badValue('--file', `a text of at most ${maxLength} characters`, 'longer'));
}

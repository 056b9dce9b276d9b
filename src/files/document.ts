import { writeFileSync } from 'node:fs';
import { errorCode, writing } from './disk-errors.ts';

/**
 * Creates a document at a path chosen by the user, in any writable folder; false, and nothing
 * changed, if the name is taken.
 */
export function createDocument(file: string, text: string): boolean {
  return writing(file, () => {
    try {
      writeFileSync(file, text, { flag: 'wx' });
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  });
}

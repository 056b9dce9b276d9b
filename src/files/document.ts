import { writeFileSync } from 'node:fs';
import { errorCode, writing } from './disk-errors.ts';

/**
 * Makes a document where the user wants it, which may be any folder that the user can write to; false, and nothing
 * changed, when the name is taken.
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

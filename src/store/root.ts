import path from 'node:path';
import { createFileExclusively, type FilePort, makeRoot } from '../files/index.ts';

/** Creates a state folder, if it does not exist, with a `.gitignore` that keeps the loops out of every commit. */
export function prepareRoot(files: FilePort, root: string): 'made' | 'found' {
  makeRoot(files, root);
  return createFileExclusively(files, path.join(root, '.gitignore'), Buffer.from('*\n')) ? 'made' : 'found';
}

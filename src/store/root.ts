import path from 'node:path';
import { createFileExclusively, type FilePort, hasFolder, look, makeFolders, makeRoot } from '../files/index.ts';
import type { RootedPlace } from './place.ts';

/** Creates a state folder, if it does not exist, with a `.gitignore` that keeps the loops out of every commit. */
export function prepareRoot(files: FilePort, root: string): 'made' | 'found' {
  makeRoot(files, root);
  const file = path.join(root, '.gitignore');
  if (look(files, file) !== undefined) return 'found';
  return createFileExclusively(files, file, Buffer.from('*\n')) ? 'made' : 'found';
}

/** Creates a folder of a loop. If anything on the way to it was missing, the `.gitignore` may be missing as well. */
export function makeLoopFolder({ files, root }: Pick<RootedPlace, 'files' | 'root'>, folder: string): void {
  if (!hasFolder(files, root, folder)) prepareRoot(files, root);
  makeFolders(files, root, folder);
}

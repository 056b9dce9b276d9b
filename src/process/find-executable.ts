import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** Where to search for a program. */
export interface SearchPlace {
  readonly PATH?: string | undefined;
  readonly cwd: string;
}

/** The absolute path of a program as the system would find it, or undefined. */
export function findExecutable(name: string, place: SearchPlace): string | undefined {
  if (name === '') return undefined;
  const folders = name.includes('/') ? [''] : (place.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.resolve(place.cwd, folder, name)).find(isExecutableFile);
}

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

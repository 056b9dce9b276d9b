import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** Where to search for a program. */
export interface SearchPlace {
  readonly PATH?: string | undefined;
  readonly cwd: string;
}

/** The absolute path of a program as the system would find it, or undefined. */
export function findExecutable(name: string, place: SearchPlace): string | undefined {
  return candidates(name, place).find(isExecutableFile);
}

/** A file or folder that has a program's name but cannot be executed. */
export interface Unusable {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** Finds what has a program's name but cannot be executed; of a name without a slash, only a file counts. */
export function findUnusable(name: string, place: SearchPlace): Unusable | undefined {
  return candidates(name, place)
    .flatMap((candidate): Unusable[] => {
      const kind = kindOf(candidate);
      return kind === undefined ? [] : [{ path: candidate, kind }];
    })
    .find(({ kind }) => kind === 'file' || name.includes('/'));
}

function candidates(name: string, { PATH = '', cwd }: SearchPlace): readonly string[] {
  if (name === '') return [];
  const folders = name.includes('/') ? [''] : PATH.split(path.delimiter);
  return folders.map((folder) => path.resolve(cwd, folder, name));
}

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function kindOf(place: string): Unusable['kind'] | undefined {
  try {
    return statSync(place).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

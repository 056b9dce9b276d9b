import path from 'node:path';
import {
  errorCode,
  hasFolder,
  makeFolders,
  makeRoot,
  nodeFiles,
  readIfThere,
  writeFileDurably,
  writing,
} from '../files/index.ts';
import { withRegistry } from '../store/index.ts';
import { lockedRegistry } from './registry.ts';

const maxBytes = 8 * 1024 * 1024;
const patienceMs = 5_000;

/** A folder with small state files in the format of another system. Links below the project are refused. */
export interface StateFolder {
  /** Whether the folder is there. */
  exists(): boolean;
  /** The content of a file; undefined if there is none. */
  read(name: string): string | undefined;
  /** Writes a file, completely or not at all. */
  write(name: string, text: string): void;
  /** Removes a file; a missing one is not an error. */
  remove(name: string): void;
  /** Does something while no other process does the same in this folder. */
  whileLocked<Result>(action: () => Result): Result;
  /** Where a file is, for messages. */
  pathOf(name: string): string;
}

/** The folder `place` of a project, such as `.ultraplan/state`. It is created with the first file. */
export function openStateFolder(project: string, place: string): StateFolder {
  const [top = '', ...below] = place.split('/');
  const root = path.resolve(project, top);
  const folder = path.join(root, ...below);
  const pathOf = (name: string) => path.join(folder, name);
  const exists = () => hasFolder(nodeFiles, root, folder);
  const create = () => {
    makeRoot(nodeFiles, root);
    makeFolders(nodeFiles, root, folder);
  };
  return {
    pathOf,
    exists,
    read: (name) => (exists() ? readIfThere(nodeFiles, pathOf(name), { limit: maxBytes })?.toString() : undefined),
    write(name, text) {
      create();
      writeFileDurably(nodeFiles, pathOf(name), Buffer.from(text));
    },
    remove(name) {
      if (exists()) removeFile(pathOf(name));
    },
    whileLocked(action) {
      create();
      return withRegistry(lockedRegistry({ root: folder }), patienceMs, action);
    },
  };
}

function removeFile(file: string): void {
  writing(file, () => {
    try {
      nodeFiles.remove(file);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    nodeFiles.syncFolder(path.dirname(file));
  });
}

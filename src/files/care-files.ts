import { lstatSync, rmdirSync, statfsSync } from 'node:fs';
import type { FileInfo, FilePort } from './file-port.ts';
import { nodeFiles } from './node-files.ts';

/** What is read to examine or clean up a state folder. */
export interface CloseInfo {
  readonly kind: FileInfo['kind'];
  readonly size: number;
  /** The permission bits. */
  readonly mode: number;
  readonly modifiedMs: number;
  readonly userId: number;
}

/** What examining and cleaning up need beyond the store's own calls. */
export interface CareFiles extends FilePort {
  lookClosely(path: string): CloseInfo | undefined;
  /** Removes an empty folder. */
  removeFolder(path: string): void;
  /** How many bytes this user may still write on the disk of a path. */
  freeBytes(path: string): number;
}

/** The real disk. */
export const nodeCareFiles: CareFiles = {
  ...nodeFiles,
  lookClosely(path) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const info = nodeFiles.look(path);
    if (!stats || !info) return undefined;
    const { kind, size, userId } = info;
    return { kind, size, userId, mode: stats.mode & 0o777, modifiedMs: stats.mtimeMs };
  },
  removeFolder: (path) => rmdirSync(path),
  freeBytes(path) {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  },
};

import {
  type BigIntStats,
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { geteuid } from 'node:process';
import { errorCode } from './disk-errors.ts';
import type { FileInfo, FilePort } from './file-port.ts';
import { randomBytes } from './random-bytes.ts';

const toAppend = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const toRead = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const toSync = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;

/** The real disk, synchronously. */
export const nodeFiles: FilePort = {
  userId: geteuid?.(),
  uniqueName: () => randomBytes(6).toString('hex'),
  makeFolder: (path) => void mkdirSync(path, { mode: 0o700 }),
  create: (path) => openSync(path, toAppend, 0o600),
  openToRead: (path) => openSync(path, toRead),
  write: (file, bytes) => writeSync(file, bytes),
  read: (file, into, position) => readSync(file, into, 0, into.byteLength, position),
  syncData: fdatasyncSync,
  sync: fsyncSync,
  syncFolder(path) {
    const folder = openSync(path, toSync);
    try {
      fsyncSync(folder);
    } catch (error) {
      // The error of file systems without this operation, which order names themselves.
      if (errorCode(error) !== 'EINVAL') throw error;
    } finally {
      closeSync(folder);
    }
  },
  rename: renameSync,
  remove: unlinkSync,
  list: (path) => readdirSync(path),
  listFolders: (path) =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name),
  look(path) {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && infoOf(stats);
  },
  lookAt: (file) => infoOf(fstatSync(file, { bigint: true })),
  close: closeSync,
};

function infoOf(stats: BigIntStats): FileInfo {
  return {
    kind: kindOf(stats),
    size: Number(stats.size),
    inode: stats.ino,
    device: stats.dev,
    userId: Number(stats.uid),
  };
}

function kindOf(stats: BigIntStats): FileInfo['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

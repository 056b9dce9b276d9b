/** What the store needs to know about a path; never about the target of a symbolic link. */
export interface FileInfo {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  readonly inode: bigint;
  readonly device: bigint;
  readonly userId: number;
}

/** A descriptor from this port. */
export type OpenFile = number;

/**
 * Everything the store does to a disk, one system call per method, so that a recording, failing or in-memory
 * implementation can stand in. Calls throw errors that carry the system's `code` (`ENOENT`, `ENOSPC`, …).
 */
export interface FilePort {
  /** The user of this process; undefined on systems without users. */
  readonly userId: number | undefined;
  /** A unique part for the names of temporary files. */
  uniqueName(): string;
  /** Creates one folder with mode 0700; fails if the name is taken. */
  makeFolder(path: string): void;
  /** Creates a file with mode 0600, opened for appending; fails if the name is taken. */
  create(path: string): OpenFile;
  /** Opens an existing file for reading; refuses symbolic links and never blocks on a pipe. */
  openToRead(path: string): OpenFile;
  /** Appends; returns how many bytes were written, which may be fewer than given. */
  write(file: OpenFile, bytes: Uint8Array): number;
  /** Reads from `position` into `into`; returns the number of bytes read. */
  read(file: OpenFile, into: Uint8Array, position: number): number;
  /** Makes the content durable (fdatasync). */
  syncData(file: OpenFile): void;
  /** Makes the content and all its attributes durable (fsync). */
  sync(file: OpenFile): void;
  /** Makes the names in a folder durable: files created, renamed or removed there. */
  syncFolder(path: string): void;
  /** Replaces `to` in one step. */
  rename(from: string, to: string): void;
  /** Removes a file's name. */
  remove(path: string): void;
  /** The names in a folder, unordered. */
  list(path: string): readonly string[];
  /** The names of the folders in a folder, unordered; a link to a folder does not count. */
  listFolders(path: string): readonly string[];
  /** What is at a path; undefined if nothing is. Does not follow a link in the last part. */
  look(path: string): FileInfo | undefined;
  /** What an open descriptor refers to. */
  lookAt(file: OpenFile): FileInfo;
  close(file: OpenFile): void;
}

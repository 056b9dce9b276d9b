/** What the store needs to know about something on disk; never about what a symbolic link points to. */
export interface FileInfo {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  readonly inode: bigint;
  readonly device: bigint;
  readonly userId: number;
}

/** A descriptor that the port handed out. */
export type OpenFile = number;

/**
 * Everything the store does to a disk, one system call each, so that a recording, failing or in-memory
 * implementation can stand in. Calls throw errors that carry the system's `code` (`ENOENT`, `ENOSPC`, …).
 */
export interface FilePort {
  /** The user this process acts for; undefined where there is no such thing. */
  readonly userId: number | undefined;
  /** A name part that nobody else uses, for temporary files. */
  uniqueName(): string;
  /** Makes one folder with mode 0700; fails when the name is taken. */
  makeFolder(path: string): void;
  /** Makes a new file with mode 0600, opened for appending; fails when the name is taken. */
  create(path: string): OpenFile;
  /** Opens an existing file for reading; refuses symbolic links and never blocks on a pipe. */
  openToRead(path: string): OpenFile;
  /** Appends; returns how many bytes were taken, which may be fewer than given. */
  write(file: OpenFile, bytes: Uint8Array): number;
  /** Fills as much of `into` as there is from `position`; returns how many bytes that was. */
  read(file: OpenFile, into: Uint8Array, position: number): number;
  /** Makes the content durable (fdatasync). */
  syncData(file: OpenFile): void;
  /** Makes the content and all its attributes durable (fsync). */
  sync(file: OpenFile): void;
  /** Makes names in a folder durable: what was created, renamed or removed there. */
  syncFolder(path: string): void;
  /** Replaces `to` in one step. */
  rename(from: string, to: string): void;
  /** Removes a file's name. */
  remove(path: string): void;
  /** Names in a folder, in no order. */
  list(path: string): readonly string[];
  /** Names of the folders in a folder, in no order; a link to a folder is none. */
  listFolders(path: string): readonly string[];
  /** What is at a path, undefined if nothing is; does not follow a link in the last part. */
  look(path: string): FileInfo | undefined;
  /** What an open descriptor refers to. */
  lookAt(file: OpenFile): FileInfo;
  close(file: OpenFile): void;
}

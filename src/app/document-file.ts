import path from 'node:path';
import {
  compress,
  createFileExclusively,
  expand,
  type FilePort,
  isGzip,
  lookSafely,
  makeRoot,
  nodeFiles,
  quietly,
  readIfThere,
  reading,
  writeFileDurably,
  writing,
} from '../files/index.ts';
import { backupName, backupStamp, compareBackups, parseBackupName } from '../store/index.ts';

/** More than any document that a program would keep. */
const maxBytes = 64 * 1024 * 1024;

/** A document that a program keeps in a file of its own, written completely or not at all. */
export interface DocumentFile {
  /** Its absolute path. */
  readonly path: string;
  /** Its text; undefined if there is none. */
  read(): string | undefined;
  /** Replaces it durably; missing folders are created. */
  write(text: string): void;
  /** Renames it, so that a new one can take its place; returns the new path. */
  setAside(now: Date): string;
  /** Removes it; a missing one is not an error. */
  remove(): void;
}

/** The document at a path. */
export function openDocumentFile(place: string, files: FilePort = nodeFiles): DocumentFile {
  const file = path.resolve(place);
  return {
    path: file,
    read: () => readIfThere(files, file, { limit: maxBytes })?.toString(),
    write(text) {
      makeRoot(files, path.dirname(file));
      writeFileDurably(files, file, Buffer.from(text));
    },
    setAside(now) {
      const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
      const aside = `${file}.broken-${stamp}-${files.uniqueName()}`;
      writing(file, () => {
        files.rename(file, aside);
        files.syncFolder(path.dirname(file));
      });
      return aside;
    },
    remove() {
      if (lookSafely(files, file, 'file') === undefined) return;
      writing(file, () => {
        files.remove(file);
        files.syncFolder(path.dirname(file));
      });
    },
  };
}

/** Copies of a document in a folder, named by the second in which they were made. */
export interface DocumentBackups {
  /** Adds a copy and removes the oldest ones beyond the maximum; returns its path. */
  add(text: string, options: { readonly now: Date; readonly compress: boolean; readonly maxBackups: number }): string;
  /** The paths of all copies, newest first. */
  list(): readonly string[];
  /** The text of one copy; undefined if it is gone or cannot be expanded. */
  read(file: string): string | undefined;
  /** Removes all copies and nothing else. */
  clear(): void;
}

/** The copies in a folder. */
export function openDocumentBackups(place: string, files: FilePort = nodeFiles): DocumentBackups {
  const folder = path.resolve(place);
  const list = () => {
    if (lookSafely(files, folder, 'folder') === undefined) return [];
    const names = reading(folder, () => files.list(folder)).map(parseBackupName);
    return names
      .filter((name) => name !== undefined)
      .sort(compareBackups)
      .map(({ name }) => path.join(folder, name));
  };
  const nextNumber = (now: Date) => {
    const newest = parseBackupName(path.basename(list()[0] ?? ''));
    return newest?.stamp === backupStamp(now) ? newest.number + 1 : 1;
  };
  return {
    list,
    add(text, { now, compress: isCompressed, maxBackups }) {
      makeRoot(files, folder);
      const bytes = isCompressed ? compress(Buffer.from(text)) : Buffer.from(text);
      for (let number = nextNumber(now); ; number += 1) {
        const file = path.join(folder, backupName(now, number, isCompressed));
        if (!createFileExclusively(files, file, bytes)) continue;
        const others = list().filter((other) => other !== file);
        for (const old of others.slice(Math.max(0, maxBackups - 1))) quietly(() => files.remove(old));
        return file;
      }
    },
    read(file) {
      const bytes = readIfThere(files, file, { limit: maxBytes });
      if (bytes === undefined || !isGzip(bytes)) return bytes?.toString();
      return expand(bytes, maxBytes)?.toString();
    },
    clear() {
      for (const file of list()) writing(file, () => files.remove(file));
    },
  };
}

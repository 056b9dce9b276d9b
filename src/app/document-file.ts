import path from 'node:path';
import {
  createFileExclusively,
  type FilePort,
  lookSafely,
  makeRoot,
  nodeFiles,
  pack,
  quietly,
  readIfThere,
  reading,
  unpack,
  writeFileDurably,
  writing,
} from '../files/index.ts';
import { backupName, backupStamp, compareBackups, parseBackupName } from '../store/index.ts';

/** More than any document that a program would keep. */
const maxBytes = 64 * 1024 * 1024;

/** How a document is stored. */
export interface DocumentForm {
  readonly compress: boolean;
}

/** A document that a program keeps in a file of its own, written completely or not at all. */
export interface DocumentFile {
  /** Its absolute path. */
  readonly path: string;
  /** Its text, compressed or not; undefined if there is none, empty if it cannot be decompressed. */
  read(): string | undefined;
  /** Replaces it durably; missing folders are created. */
  write(text: string, form?: DocumentForm): void;
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
    read() {
      const bytes = readIfThere(files, file, { limit: maxBytes });
      return bytes && (unpack(bytes, maxBytes)?.toString() ?? '');
    },
    write(text, form = { compress: false }) {
      makeRoot(files, path.dirname(file));
      writeFileDurably(files, file, bytesOf(text, form));
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

function bytesOf(text: string, { compress }: DocumentForm): Uint8Array {
  const bytes = Buffer.from(text);
  return compress ? pack(bytes, maxBytes) : bytes;
}

/** Copies of a document in a folder, named by the second in which they were made. */
export interface DocumentBackups {
  /** Adds a copy and removes the oldest ones beyond the maximum; returns its path. */
  add(text: string, options: DocumentForm & { readonly now: Date; readonly maxBackups: number }): string;
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
    add(text, { now, compress, maxBackups }) {
      makeRoot(files, folder);
      const bytes = bytesOf(text, { compress });
      for (let number = nextNumber(now); ; number += 1) {
        const file = path.join(folder, backupName(now, number, compress));
        if (!createFileExclusively(files, file, bytes)) continue;
        const others = list().filter((other) => other !== file);
        for (const old of others.slice(Math.max(0, maxBackups - 1))) quietly(() => files.remove(old));
        return file;
      }
    },
    read(file) {
      const bytes = readIfThere(files, file, { limit: maxBytes });
      return bytes && unpack(bytes, maxBytes)?.toString();
    },
    clear() {
      for (const file of list()) writing(file, () => files.remove(file));
    },
  };
}

import type { FilePort, OpenFile } from '../../../src/files/index.ts';

/** One change to a disk, or one sync. `file` identifies the file itself, independent of its name. */
export type Operation =
  | { readonly kind: 'makeFolder'; readonly path: string }
  | { readonly kind: 'create'; readonly path: string; readonly file: string }
  | { readonly kind: 'write'; readonly path: string; readonly file: string; readonly bytes: Buffer }
  | { readonly kind: 'syncData' | 'sync'; readonly path: string; readonly file: string }
  /** A failed sync: earlier writes may be lost, even if later syncs succeed. */
  | { readonly kind: 'failedSync'; readonly path: string; readonly file: string }
  | { readonly kind: 'syncFolder'; readonly path: string }
  | { readonly kind: 'rename'; readonly from: string; readonly path: string }
  | { readonly kind: 'remove'; readonly path: string }
  /** Damage from outside: durable immediately. */
  | { readonly kind: 'overwrite'; readonly path: string; readonly bytes: Buffer };

/** A disk that records every change to it. */
export interface Recorder {
  readonly files: FilePort;
  /** Records that the sync of an open file failed. */
  syncFailed(file: OpenFile): void;
}

/** Records what each successful call changed; ignores reads. */
export function recordFiles(inner: FilePort, note: (operation: Operation) => void): Recorder {
  const open = new Map<OpenFile, { readonly path: string; readonly file: string }>();
  const remember = (file: OpenFile, path: string) => {
    const known = { path, file: String(inner.lookAt(file).inode) };
    open.set(file, known);
    return known;
  };
  const known = (file: OpenFile) => {
    const found = open.get(file);
    if (!found) throw new Error(`Descriptor ${file} was not opened here.`);
    return found;
  };
  const files: FilePort = {
    ...inner,
    makeFolder(path) {
      inner.makeFolder(path);
      note({ kind: 'makeFolder', path });
    },
    create(path) {
      const file = inner.create(path);
      note({ kind: 'create', ...remember(file, path) });
      return file;
    },
    openToRead(path) {
      const file = inner.openToRead(path);
      remember(file, path);
      return file;
    },
    write(file, bytes) {
      const taken = inner.write(file, bytes);
      note({ kind: 'write', ...known(file), bytes: Buffer.from(bytes.subarray(0, taken)) });
      return taken;
    },
    syncData(file) {
      inner.syncData(file);
      note({ kind: 'syncData', ...known(file) });
    },
    sync(file) {
      inner.sync(file);
      note({ kind: 'sync', ...known(file) });
    },
    syncFolder(path) {
      inner.syncFolder(path);
      note({ kind: 'syncFolder', path });
    },
    rename(from, path) {
      inner.rename(from, path);
      note({ kind: 'rename', from, path });
    },
    remove(path) {
      inner.remove(path);
      note({ kind: 'remove', path });
    },
    close(file) {
      open.delete(file);
      inner.close(file);
    },
  };
  return { files, syncFailed: (file) => note({ kind: 'failedSync', ...known(file) }) };
}

import type { FilePort, OpenFile } from '../../../src/files/index.ts';
import { parentOf } from '../disk/image.ts';
import { asking, type Mutant } from './mutant.ts';

const isJournal = (path: string) => path.endsWith('.jsonl');

/** Bugs in which calls the store makes, and in their order. */
export const askingMutants: readonly Mutant[] = [
  asking('the journal is not synced', (files) => ({ ...files, syncData: () => {} })),
  asking('a fact is acknowledged before its sync', (files) => late(files, 'syncData')),
  asking(
    'a file is not synced before its rename',
    (files) => ({ ...files, sync: () => {} }),
    'snapshots between facts',
  ),
  asking('a file is synced only after its rename', (files) => late(files, 'sync'), 'snapshots between facts'),
  asking(
    'a rename is not followed by a sync of its folder',
    (files) => noFolderSyncAfter(files, 'rename'),
    'snapshots between facts',
  ),
  asking(
    'a new segment is not followed by a sync of its folder',
    (files) => noFolderSyncAfter(files, 'create'),
    'a new segment when one is full',
  ),
  asking(
    'a new folder is not followed by a sync of the folder around it',
    (files) => noFolderSyncAfter(files, 'makeFolder'),
    'checkpoint and backup, then a damaged snapshot',
  ),
  asking('a snapshot is written in place', inPlace, 'snapshots between facts'),
  asking('the target is removed before the rename', removeFirst, 'snapshots between facts'),
  asking(
    'all writers share one temporary name',
    (files) => ({ ...files, uniqueName: () => 'same' }),
    'commands in the inbox, two at once',
  ),
  asking(
    'a short write passes for a whole one',
    (files) => ({
      ...files,
      write(file, bytes) {
        files.write(file, bytes);
        return bytes.byteLength;
      },
    }),
    'failing calls: make a loop and record facts',
  ),
  asking(
    'a failed sync is passed over',
    (files) => ({ ...files, syncData: forgiving(files.syncData) }),
    'a failed sync, then on in a new segment',
  ),
  asking(
    'a failed sync is tried again',
    (files) => ({ ...files, syncData: insisting(files.syncData) }),
    'a failed sync, then on in a new segment',
  ),
  asking('a batch is acknowledged after the sync of its first half', halfAfterSync, 'batches of facts'),
  asking('what is opened to read is never closed', leaky),
];

// The sync happens with the next call that changes anything, after the caller has already returned.
function late(files: FilePort, name: 'sync' | 'syncData'): FilePort {
  const waiting: OpenFile[] = [];
  const catchUp = () => {
    for (const file of waiting.splice(0)) forgiving(files[name])(file);
  };
  const afterIt = <Call extends (...details: never[]) => unknown>(call: Call) =>
    ((...details: never[]) => {
      const result = call(...details);
      catchUp();
      return result;
    }) as Call;
  return {
    ...files,
    [name]: (file: OpenFile) => void waiting.push(file),
    write: afterIt(files.write),
    rename: afterIt(files.rename),
    create: afterIt(files.create),
    close: (file) => {
      if (name === 'syncData') catchUp();
      if (name === 'sync' && waiting.includes(file)) return;
      files.close(file);
    },
  };
}

function noFolderSyncAfter(files: FilePort, name: 'rename' | 'create' | 'makeFolder'): FilePort {
  const touched = new Set<string>();
  return {
    ...files,
    makeFolder(path) {
      files.makeFolder(path);
      if (name === 'makeFolder') touched.add(parentOf(path));
    },
    create(path) {
      if (name === 'create' && isJournal(path)) touched.add(parentOf(path));
      return files.create(path);
    },
    rename(from, to) {
      files.rename(from, to);
      if (name === 'rename') touched.add(parentOf(to));
    },
    syncFolder(path) {
      if (!touched.delete(path)) files.syncFolder(path);
    },
  };
}

function inPlace(files: FilePort): FilePort {
  const targets = new Map<string, string>();
  const targetOf = (path: string) => targets.get(path) ?? path;
  return {
    ...files,
    create(path) {
      const [, target] = /^(.*)\/\.(.+)\.[^.]+\.tmp$/.exec(path)?.slice(1) ?? [];
      if (target === undefined) return files.create(path);
      const place = `${parentOf(path)}/${target}`;
      targets.set(path, place);
      if (files.look(place)) files.remove(place);
      return files.create(place);
    },
    openToRead: (path) => files.openToRead(targetOf(path)),
    rename: (from, to) => (targets.delete(from) ? undefined : files.rename(from, to)),
    remove: (path) => files.remove(targetOf(path)),
  };
}

function removeFirst(files: FilePort): FilePort {
  return {
    ...files,
    rename(from, to) {
      if (files.look(to)) files.remove(to);
      files.rename(from, to);
    },
  };
}

function forgiving(call: (file: OpenFile) => void): (file: OpenFile) => void {
  return (file) => {
    try {
      call(file);
    } catch {
      // Ignoring the error is the bug.
    }
  };
}

function insisting(call: (file: OpenFile) => void): (file: OpenFile) => void {
  return (file) => {
    try {
      call(file);
    } catch {
      call(file);
    }
  };
}

function halfAfterSync(files: FilePort): FilePort {
  const rest = new Map<OpenFile, Uint8Array>();
  return {
    ...files,
    write(file, bytes) {
      const half = Math.ceil(bytes.byteLength / 2);
      const taken = files.write(file, bytes.subarray(0, half));
      if (taken === half) rest.set(file, bytes.subarray(half));
      return taken === half ? bytes.byteLength : taken;
    },
    syncData(file) {
      files.syncData(file);
      files.write(file, rest.get(file) ?? new Uint8Array());
      rest.delete(file);
    },
    sync(file) {
      files.write(file, rest.get(file) ?? new Uint8Array());
      rest.delete(file);
      files.sync(file);
    },
  };
}

function leaky(files: FilePort): FilePort {
  const toRead = new Set<OpenFile>();
  return {
    ...files,
    openToRead(path) {
      const file = files.openToRead(path);
      toRead.add(file);
      return file;
    },
    close: (file) => (toRead.has(file) ? undefined : files.close(file)),
  };
}

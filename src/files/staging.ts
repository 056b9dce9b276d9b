import { closeSync, constants, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { writing } from './disk-errors.ts';
import { randomBytes } from './random-bytes.ts';

/** A folder that is filled with files and then gets its name in one step. */
export interface StagingFolder extends Disposable {
  readonly root: string;
  /** Writes bytes of a file; they follow those before them, or replace the file if `offset` is 0. */
  write(name: string, offset: number, bytes: Uint8Array): void;
  /** Makes everything durable and gives the folder its name; fails if the name is taken by a folder that is not empty. */
  moveTo(place: string): void;
}

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Creates a folder next to its later place; it is removed when it is disposed of without having been moved. */
export function createStagingFolder(near: string): StagingFolder {
  const root = path.join(near, `.restoring-${randomBytes(6).toString('hex')}.tmp`);
  const sizes = new Map<string, number>();
  writing(root, () => mkdirSync(root, { recursive: true, mode: 0o700 }));
  return {
    root,
    write(name, offset, bytes) {
      const place = path.join(root, name);
      writing(place, () => {
        if (offset !== 0 && sizes.get(name) !== offset)
          throw new Error(`a part of it is missing before byte ${offset}`);
        mkdirSync(path.dirname(place), { recursive: true, mode: 0o700 });
        const file = openSync(place, offset === 0 ? flags | constants.O_TRUNC : flags, 0o600);
        try {
          writeWhole(file, bytes);
        } finally {
          closeSync(file);
        }
        sizes.set(name, offset + bytes.byteLength);
      });
    },
    moveTo(place) {
      writing(place, () => {
        const folders = new Set([root]);
        for (const name of sizes.keys()) {
          sync(path.join(root, name));
          for (let folder = path.dirname(name); folder !== '.'; folder = path.dirname(folder)) {
            folders.add(path.join(root, folder));
          }
        }
        for (const folder of folders) sync(folder);
        renameSync(root, place);
        sync(path.dirname(place));
      });
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.byteLength; ) done += writeSync(file, bytes, done);
}

function sync(place: string): void {
  const file = openSync(place, constants.O_RDONLY);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

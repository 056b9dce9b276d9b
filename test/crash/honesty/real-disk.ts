import { readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type FilePort, nodeFiles } from '../../../src/files/index.ts';
import { inside } from '../disk/image.ts';
import type { ImageDisk } from '../disk/image-disk.ts';

/** The real disk with one of its folders as root, so that scenarios use the same paths as in memory. */
export function realDisk(top: string): ImageDisk {
  const at = (place: string) => path.join(top, place);
  const files: FilePort = {
    ...nodeFiles,
    makeFolder: (place) => nodeFiles.makeFolder(at(place)),
    create: (place) => nodeFiles.create(at(place)),
    openToRead: (place) => nodeFiles.openToRead(at(place)),
    syncFolder: (place) => nodeFiles.syncFolder(at(place)),
    rename: (from, to) => nodeFiles.rename(at(from), at(to)),
    remove: (place) => nodeFiles.remove(at(place)),
    list: (place) => nodeFiles.list(at(place)),
    look: (place) => nodeFiles.look(at(place)),
  };
  const walk = (place: string): [string, Buffer | 'folder'][] => {
    if (files.look(place)?.kind !== 'folder') return [[place, readFileSync(at(place))]];
    return [[place, 'folder'], ...files.list(place).flatMap((name) => walk(inside(place, name)))];
  };
  return {
    ...files,
    image: () => new Map(walk('/')),
    openFiles: () => 0,
    removeFolder: (place) => rmdirSync(at(place)),
    overwrite: (place, bytes) => writeFileSync(at(place), bytes),
  };
}

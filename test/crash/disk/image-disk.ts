import type { FileInfo, FilePort, OpenFile } from '../../../src/files/index.ts';
import { systemError } from '../../../src/files/testing/faulty-files.ts';
import { type Image, inside, nameOf, parentOf } from './image.ts';

/** An in-memory disk that starts from an image. Cheap to create: bytes are shared with the image until written. */
export interface ImageDisk extends FilePort {
  /** The state that running processes see now. */
  image(): Image;
  /** How many descriptors are open. */
  openFiles(): number;
  /** Removes an empty folder. */
  removeFolder(place: string): void;
  /** Changes the content of a file without any recorded call. */
  overwrite(place: string, bytes: Buffer): void;
}

interface Node {
  readonly kind: 'file' | 'folder';
  readonly inode: bigint;
  data: Buffer;
}

const nothing = Buffer.alloc(0);

export function createImageDisk(image: Image): ImageDisk {
  const nodes = new Map<string, Node>();
  const open = new Map<OpenFile, Node>();
  let inodes = 0n;
  let descriptors = 2;
  let names = 0;
  const put = (place: string, kind: Node['kind'], data: Buffer): Node => {
    inodes += 1n;
    const node: Node = { kind, inode: inodes, data };
    nodes.set(place, node);
    return node;
  };
  for (const [place, content] of image) {
    if (content === 'folder') put(place, 'folder', nothing);
    else put(place, 'file', content);
  }
  const find = (place: string) => nodes.get(place) ?? fail('ENOENT');
  const at = (file: OpenFile) => open.get(file) ?? fail('EBADF');
  const make = (place: string, kind: Node['kind']) => {
    if (find(parentOf(place)).kind !== 'folder') fail('ENOTDIR');
    if (nodes.has(place)) fail('EEXIST');
    return put(place, kind, nothing);
  };
  const placesIn = (place: string) => {
    find(place);
    const start = inside(place, '');
    return [...nodes.keys()].filter((key) => {
      return key.startsWith(start) && key.length > start.length && parentOf(key) === place;
    });
  };
  const opened = (node: Node) => {
    descriptors += 1;
    open.set(descriptors, node);
    return descriptors;
  };

  return {
    userId: undefined,
    uniqueName: () => `u${image.size}x${(names += 1)}`,
    makeFolder: (place) => void make(place, 'folder'),
    create: (place) => opened(make(place, 'file')),
    openToRead: (place) => opened(find(place)),
    write(file, bytes) {
      const node = at(file);
      node.data = Buffer.concat([node.data, bytes]);
      return bytes.byteLength;
    },
    read: (file, into, position) => at(file).data.copy(into, 0, position),
    syncData: (file) => void at(file),
    sync: (file) => void at(file),
    syncFolder: (place) => void find(place),
    rename(from, to) {
      const node = find(from);
      if (node.kind === 'folder') throw new Error('Moving folders is not modelled yet.');
      find(parentOf(to));
      nodes.delete(from);
      nodes.set(to, node);
    },
    remove(place) {
      if (find(place).kind === 'folder') fail('EISDIR');
      nodes.delete(place);
    },
    list: (place) => placesIn(place).map(nameOf),
    listFolders: (place) =>
      placesIn(place)
        .filter((inner) => nodes.get(inner)?.kind === 'folder')
        .map(nameOf),
    look(place) {
      const node = nodes.get(place);
      return node && infoOf(node);
    },
    lookAt: (file) => infoOf(at(file)),
    close: (file) => void (open.delete(file) || fail('EBADF')),
    image: () => new Map([...nodes].map(([place, node]) => [place, node.kind === 'folder' ? 'folder' : node.data])),
    openFiles: () => open.size,
    removeFolder: (place) => void nodes.delete(place),
    overwrite: (place, bytes) => void (find(place).data = bytes),
  };
}

function infoOf(node: Node): FileInfo {
  return { kind: node.kind, size: node.data.byteLength, inode: node.inode, device: 1n, userId: 0 };
}

function fail(code: string): never {
  throw systemError(code);
}

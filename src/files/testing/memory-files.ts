import path from 'node:path';
import type { FileInfo, FilePort } from '../file-port.ts';

interface Node {
  readonly inode: bigint;
  readonly kind: 'file' | 'folder';
  /** What running processes see, and what a power cut leaves. */
  data: Buffer;
  durable: Buffer;
  readonly names: Map<string, Node>;
  durableNames: Map<string, Node>;
  /** Changes of names since the last sync of this folder. */
  pending: NameChange[];
}

type NameChange = readonly { readonly name: string; readonly node: Node | undefined }[];

/** Decides what a power cut keeps of what was not synced: a whole number from 0 up to `most`. */
export type Choose = (most: number) => number;

/** A disk in memory that forgets, at a power cut, what was never synced. */
export interface MemoryFiles extends FilePort {
  /** The disk after a power cut: of unsynced bytes a beginning, of unsynced names any selection may survive. */
  afterPowerCut(choose: Choose): MemoryFiles;
  /** Changes a file's content without any call to the port, durably. */
  overwrite(place: string, bytes: Uint8Array): void;
}

/** An empty disk with a root folder. */
export function createMemoryFiles(): MemoryFiles {
  return diskOf(newNode('folder', 1n), 2n);
}

function diskOf(top: Node, firstInode: bigint): MemoryFiles {
  let nextInode = firstInode;
  let nextFile = 0;
  let names = 0;
  const open = new Map<number, Node>();
  const find = (place: string): Node | undefined =>
    place
      .split(path.sep)
      .filter((name) => name !== '')
      .reduce<Node | undefined>((node, name) => node?.names.get(name), top);
  const folderOf = (place: string) => find(path.dirname(place)) ?? fail('ENOENT');
  const change = (place: string, node: Node | undefined): NameChange[number] => {
    const name = path.basename(place);
    if (node) folderOf(place).names.set(name, node);
    else folderOf(place).names.delete(name);
    return { name, node };
  };
  const make = (place: string, kind: Node['kind']) => {
    const folder = folderOf(place);
    if (folder.names.has(path.basename(place))) fail('EEXIST');
    nextInode += 1n;
    const node = newNode(kind, nextInode);
    folder.pending.push([change(place, node)]);
    return node;
  };
  const opened = (node: Node) => {
    nextFile += 1;
    open.set(nextFile, node);
    return nextFile;
  };
  const at = (file: number) => open.get(file) ?? fail('EBADF');

  return {
    userId: undefined,
    uniqueName: () => {
      names += 1;
      return `${firstInode}x${names}`;
    },
    makeFolder: (place) => void make(place, 'folder'),
    create: (place) => opened(make(place, 'file')),
    openToRead: (place) => opened(find(place) ?? fail('ENOENT')),
    write(file, bytes) {
      at(file).data = Buffer.concat([at(file).data, bytes]);
      return bytes.byteLength;
    },
    read: (file, into, position) => at(file).data.copy(into, 0, position),
    syncData: (file) => void (at(file).durable = at(file).data),
    sync: (file) => void (at(file).durable = at(file).data),
    syncFolder(place) {
      const folder = find(place) ?? fail('ENOENT');
      folder.durableNames = new Map(folder.names);
      folder.pending = [];
    },
    rename(from, to) {
      if (path.dirname(from) !== path.dirname(to)) fail('EXDEV');
      const node = find(from) ?? fail('ENOENT');
      folderOf(to).pending.push([change(from, undefined), change(to, node)]);
    },
    remove(place) {
      if (!find(place)) fail('ENOENT');
      folderOf(place).pending.push([change(place, undefined)]);
    },
    list: (place) => [...(find(place) ?? fail('ENOENT')).names.keys()],
    listFolders: (place) =>
      [...(find(place) ?? fail('ENOENT')).names].filter(([, { kind }]) => kind === 'folder').map(([name]) => name),
    look(place) {
      const node = find(place);
      return node && infoOf(node);
    },
    lookAt: (file) => infoOf(at(file)),
    close: (file) => void (open.delete(file) || fail('EBADF')),
    afterPowerCut: (choose) => diskOf(survivorOf(top, choose), nextInode + 1n),
    overwrite(place, bytes) {
      const node = find(place) ?? fail('ENOENT');
      node.data = Buffer.from(bytes);
      node.durable = node.data;
    },
  };
}

function survivorOf(node: Node, choose: Choose): Node {
  const survivor = newNode(node.kind, node.inode);
  const unsynced = Math.max(0, node.data.byteLength - node.durable.byteLength);
  survivor.data = node.data.subarray(0, node.data.byteLength - unsynced + choose(unsynced));
  survivor.durable = survivor.data;
  const names = new Map(node.durableNames);
  for (const step of node.pending) {
    if (choose(1) === 0) continue;
    for (const { name, node: target } of step) {
      if (target) names.set(name, target);
      else names.delete(name);
    }
  }
  for (const [name, child] of names) survivor.names.set(name, survivorOf(child, choose));
  survivor.durableNames = new Map(survivor.names);
  return survivor;
}

function newNode(kind: Node['kind'], inode: bigint): Node {
  const nothing = Buffer.alloc(0);
  const names = new Map<string, Node>();
  return { kind, inode, data: nothing, durable: nothing, names, durableNames: new Map(), pending: [] };
}

function infoOf(node: Node): FileInfo {
  return { kind: node.kind, size: node.data.byteLength, inode: node.inode, device: 1n, userId: 0 };
}

function fail(code: string): never {
  throw Object.assign(new Error(code), { code });
}

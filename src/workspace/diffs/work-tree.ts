import path from 'node:path';
import { absent, type Content } from '../content.ts';
import type { Fingerprint } from '../fingerprint.ts';
import { isUnder, join, type RawPath } from '../raw-path.ts';
import { Unreadable } from '../unreadable.ts';
import type { HeadFolder, HeadTree } from './head-trees.ts';
import { encodeTree, folderMode, parseTree, type TreeEntries } from './tree-object.ts';

export type GitFingerprint = Extract<Fingerprint, { kind: 'git' }>;

/** The folders of its commit that the tree of a state depends on: those in which something may differ from the commit. */
export function neededFolders(fingerprint: GitFingerprint): readonly HeadFolder[] {
  const { head, differing } = fingerprint;
  if (head === null) return [];
  const folders = new Set(['', ...[...differing.keys(), ...ownPaths(fingerprint)].flatMap(parentsOf)]);
  return [...folders].map((folder) => ({ head, folder }));
}

interface TreeParts {
  /** A folder of the commit; undefined where it has none. */
  readonly headTree: (wanted: HeadFolder) => HeadTree | undefined;
  /** A content as a tree entry. */
  readonly contentOf: (work: Content) => Content;
  /** Keeps a tree unless it is the known one, and returns its id. */
  readonly keepTree: (bytes: Buffer, known: string | undefined) => string;
}

/** The tree of a state: that of its commit, with every path that differs from it, and without ralphd's own files. */
export function writeTree(fingerprint: GitFingerprint, { headTree, contentOf, keepTree }: TreeParts): string {
  const { head, algorithm, differing } = fingerprint;
  const read = (folder: RawPath): Folder => {
    const tree = head === null ? undefined : headTree({ head, folder });
    const entries = tree === undefined ? new Map() : parseTree(tree.bytes, algorithm === 'sha256' ? 32 : 20);
    return { path: folder, id: tree?.id, entries, open: new Map() };
  };
  const top = read('');
  if (head !== null && top.id === undefined) throw new Unreadable(`git does not have the tree of ${head}`);
  for (const place of ownPaths(fingerprint)) remove(folderAbove(top, place, read), path.posix.basename(place));
  const contents = [...differing].map(([file, { work }]) => [file, contentOf(work)] as const);
  // What is removed comes first: a folder may take the place of a file.
  for (const [file, content] of contents) {
    const [folder, name] = [folderAbove(top, file, read), path.posix.basename(file)];
    if (content === absent && folder?.entries.get(name)?.mode !== folderMode) remove(folder, name);
  }
  for (const [file, content] of contents) if (content !== absent) put(makeFolderAbove(top, file, read), file, content);
  return write(top, keepTree);
}

/** Where ralphd's own files are in the work tree. */
function ownPaths({ excluded, root }: GitFingerprint): readonly RawPath[] {
  return excluded.filter((place) => isUnder(place, [root])).map((place) => place.slice(join(root, 'x').length - 1));
}

function parentsOf(file: RawPath): readonly RawPath[] {
  const names = file.split('/');
  return names.slice(0, -1).map((_name, index) => names.slice(0, index + 1).join('/'));
}

/** A folder of the tree that is written. */
interface Folder {
  readonly path: RawPath;
  /** Its id in the commit; undefined where that has no such folder. */
  readonly id: string | undefined;
  readonly entries: TreeEntries;
  /** Folders in it that may differ from their entries. */
  readonly open: Map<RawPath, Folder>;
}

type ReadFolder = (folder: RawPath) => Folder;

/** The folder that contains a path; undefined where there is none. */
function folderAbove(top: Folder, file: RawPath, read: ReadFolder): Folder | undefined {
  return parentsOf(file).reduce<Folder | undefined>((folder, place) => folder && enter(folder, place, read), top);
}

/** The same, created where it is missing. */
function makeFolderAbove(top: Folder, file: RawPath, read: ReadFolder): Folder {
  return parentsOf(file).reduce((folder, place) => enter(folder, place, read) ?? make(folder, place), top);
}

function enter(parent: Folder, place: RawPath, read: ReadFolder): Folder | undefined {
  const name = path.posix.basename(place);
  const opened = parent.open.get(name);
  const entry = parent.entries.get(name);
  if (opened !== undefined || entry?.mode !== folderMode) return opened;
  const folder = read(place);
  // A clone may lack folders of its commit.
  if (folder.id !== entry.id) throw new Unreadable(`git does not have the folder ${place} of its commit`);
  parent.open.set(name, folder);
  return folder;
}

function make(parent: Folder, place: RawPath): Folder {
  const name = path.posix.basename(place);
  const folder = { path: place, id: undefined, entries: new Map(), open: new Map() };
  parent.entries.delete(name);
  parent.open.set(name, folder);
  return folder;
}

function remove(folder: Folder | undefined, name: RawPath): void {
  folder?.entries.delete(name);
  folder?.open.delete(name);
}

function put(folder: Folder, file: RawPath, content: Content): void {
  const name = path.posix.basename(file);
  const [mode = '', id = ''] = content.split(' ');
  remove(folder, name);
  folder.entries.set(name, { mode, id });
}

function write({ entries, open, id }: Folder, keepTree: TreeParts['keepTree']): string {
  for (const [name, folder] of open) {
    const written = write(folder, keepTree);
    // Git has no empty folders.
    if (folder.entries.size === 0) entries.delete(name);
    else entries.set(name, { mode: folderMode, id: written });
  }
  return keepTree(encodeTree(entries), id);
}

import { type RawPath, toBytes } from '../raw-path.ts';
import { Unreadable } from '../unreadable.ts';

/** One name in a tree object of git. */
export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

/** The entries of one folder by name. */
export type TreeEntries = Map<RawPath, TreeEntry>;

/** The mode of a folder. */
export const folderMode = '40000';

/** Reads a tree object; its ids have so many bytes. */
export function parseTree(bytes: Buffer, idBytes: number): TreeEntries {
  const entries: TreeEntries = new Map();
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, blank);
    if (blank === -1 || end === -1) throw new Unreadable('a tree of git is damaged');
    const mode = bytes.toString('latin1', at, blank);
    const id = bytes.toString('hex', end + 1, end + 1 + idBytes);
    entries.set(bytes.toString('latin1', blank + 1, end), { mode, id });
    at = end + 1 + idBytes;
  }
  return entries;
}

/** Writes a tree object as git does: sorted by the bytes of the names, a folder as if its name ended with a slash. */
export function encodeTree(entries: TreeEntries): Buffer {
  const sorted = [...entries].map(([name, entry]) => ({ ...entry, name, key: sortKey(name, entry) }));
  sorted.sort((one, other) => (one.key < other.key ? -1 : 1));
  return Buffer.concat(sorted.flatMap(({ name, mode, id }) => [toBytes(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));
}

function sortKey(name: RawPath, { mode }: TreeEntry): string {
  return mode === folderMode ? `${name}/` : name;
}

import { hash } from 'node:crypto';
import type { RawPath } from '../../workspace/index.ts';

interface TreeFile {
  readonly path: RawPath;
  readonly mode: string;
  readonly id: string;
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: TreeFile[];
}

const folderMode = '40000';

/** The id that git gives to a tree with exactly these files. */
export function treeId(files: readonly TreeFile[]): string {
  const top = emptyFolder();
  for (const file of files) {
    const names = file.path.split('/');
    let folder = top;
    for (const name of names.slice(0, -1)) folder = folderIn(folder, name);
    folder.files.push({ ...file, path: names.at(-1) ?? '' });
  }
  return folderId(top);
}

function emptyFolder(): Folder {
  return { folders: new Map(), files: [] };
}

function folderIn({ folders }: Folder, name: string): Folder {
  const known = folders.get(name);
  if (known !== undefined) return known;
  const made = emptyFolder();
  folders.set(name, made);
  return made;
}

/** Git sorts by bytes, with a slash appended to the names of folders. */
function folderId({ folders, files }: Folder): string {
  const entries = [
    ...files.map(({ path, mode, id }) => ({ key: path, name: path, mode, id })),
    ...[...folders].map(([name, folder]) => ({ key: `${name}/`, name, mode: folderMode, id: folderId(folder) })),
  ].sort((one, other) => (one.key < other.key ? -1 : 1));
  const lines = entries.flatMap(({ mode, name, id }) => [
    Buffer.from(`${mode} ${name}\0`, 'latin1'),
    Buffer.from(id, 'hex'),
  ]);
  const body = Buffer.concat(lines);
  return hash('sha1', Buffer.concat([Buffer.from(`tree ${body.length}\0`), body]));
}

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type Content, type ContentCache, createContentReader, GONE, isMissing } from './content.ts';
import { forEachOf } from './for-each.ts';
import type { ReadOptions } from './git-state.ts';
import { isUnder, join, type RawPath, toBytes } from './raw-path.ts';
import { Unreadable } from './unreadable.ts';

/** A folder outside any repository at one moment. */
export interface TreeState {
  readonly root: RawPath;
  readonly files: ReadonlyMap<RawPath, Content>;
  readonly cache: ContentCache;
}

const SKIPPED = new Set(['.git', 'node_modules']);
const MOST_FILES = 200_000;

/** Reads every file below a folder; symbolic links are not followed. */
export async function readTreeState(root: RawPath, options: Omit<ReadOptions, 'env'>): Promise<TreeState> {
  const paths = await listFiles(root, options.excluded);
  const reader = createContentReader({ algorithm: 'sha1', known: options.known });
  const read = async (path: RawPath): Promise<[RawPath, Content]> => [path, await reader.read(join(root, path))];
  const contents = await forEachOf(paths, read);
  return { root, files: new Map(contents.filter(([, content]) => content !== GONE)), cache: reader.remembered };
}

async function listFiles(root: RawPath, excluded: readonly RawPath[]): Promise<RawPath[]> {
  let files: RawPath[] = [];
  let folders: RawPath[] = [''];
  while (folders.length > 0) {
    const found = (await forEachOf(folders, (folder) => list(root, folder))).flat();
    const counted = found.filter(({ path }) => !isUnder(join(root, path), excluded));
    files = files.concat(counted.filter(({ entry }) => !entry.isDirectory()).map(({ path }) => path));
    folders = counted.filter(({ entry }) => entry.isDirectory()).map(({ path }) => path);
    if (files.length > MOST_FILES) throw new Unreadable(`there are more than ${MOST_FILES} files`);
  }
  return files;
}

async function list(root: RawPath, folder: RawPath): Promise<{ path: RawPath; entry: Dirent }[]> {
  try {
    const entries = await readdir(toBytes(join(root, folder)), { withFileTypes: true, encoding: 'latin1' });
    return entries
      .filter((entry) => !SKIPPED.has(entry.name))
      .map((entry) => ({ path: join(folder, entry.name), entry }));
  } catch (error) {
    // A folder may go while we look; only the root itself has to be there.
    if (folder !== '' && isMissing(error)) return [];
    throw error;
  }
}

import { type Dirent, readdirSync } from 'node:fs';
import { type Content, type ContentCache, createContentReader, GONE, isCode, isMissing } from './content.ts';
import { GENERATED, isMadeByTool, VERSION_CONTROL } from './generated.ts';
import type { ReadOptions } from './git-state.ts';
import { type IgnoreRules, isIgnored, parseIgnoreRules } from './ignore-rules.ts';
import { isUnder, join, type RawPath, toBytes } from './raw-path.ts';
import { readSmallFile } from './small-file.ts';
import { createTurns } from './turns.ts';
import { Unreadable } from './unreadable.ts';

/** A folder that git does not look after, at one moment. */
export interface TreeState {
  readonly root: RawPath;
  readonly files: ReadonlyMap<RawPath, Content>;
  readonly cache: ContentCache;
}

const MOST_FILES = 200_000;

/** Reads every file below a folder that counts; symbolic links are not followed. */
export async function readTreeState(root: RawPath, options: Omit<ReadOptions, 'env'>): Promise<TreeState> {
  const { paths, closed } = await listFiles(root, options.excluded);
  const reader = createContentReader({ algorithm: 'sha1', known: options.known });
  const files = new Map<RawPath, Content>(closed.map((folder) => [folder, 'unreadable folder']));
  for (const path of paths) {
    const content = await reader.read(join(root, path));
    if (content !== GONE) files.set(path, content);
  }
  return { root, files, cache: reader.remembered };
}

interface Listing {
  readonly paths: RawPath[];
  /** Folders that may not be read. */
  readonly closed: RawPath[];
}

async function listFiles(root: RawPath, excluded: readonly RawPath[]): Promise<Listing> {
  const listing: Listing = { paths: [], closed: [] };
  const turns = createTurns();
  const folders: { readonly path: RawPath; readonly rules: IgnoreRules }[] = [{ path: '', rules: GENERATED }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (turns.isOver()) await turns.next();
    const entries = list(root, folder.path);
    if (entries === 'closed') {
      listing.closed.push(folder.path);
      continue;
    }
    const names = new Set(entries.map(({ name }) => name));
    if (folder.path !== '' && isMadeByTool(join(root, folder.path), names)) continue;
    const rules = names.has('.gitignore') ? rulesIn(root, folder) : folder.rules;
    for (const entry of entries) {
      const path = join(folder.path, entry.name);
      const isFolder = entry.isDirectory();
      if (VERSION_CONTROL.has(entry.name) || isUnder(join(root, path), excluded)) continue;
      if (isIgnored(path, isFolder, rules)) continue;
      if (isFolder) folders.push({ path, rules });
      else listing.paths.push(path);
    }
    if (listing.paths.length > MOST_FILES) throw new Unreadable(`there are more than ${MOST_FILES} files`);
  }
  return listing;
}

function rulesIn(root: RawPath, folder: { readonly path: RawPath; readonly rules: IgnoreRules }): IgnoreRules {
  const text = readSmallFile(join(root, join(folder.path, '.gitignore')))?.toString('latin1');
  return text === undefined ? folder.rules : parseIgnoreRules(text, folder.path, folder.rules);
}

function list(root: RawPath, folder: RawPath): readonly Dirent[] | 'closed' {
  try {
    return readdirSync(toBytes(join(root, folder)), { withFileTypes: true, encoding: 'latin1' });
  } catch (error) {
    // A folder may go while we look; only the root itself has to be there.
    if (folder === '') throw error;
    if (isMissing(error)) return [];
    if (isCode(error, 'EACCES')) return 'closed';
    throw error;
  }
}

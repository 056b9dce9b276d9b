import { type Dirent, readdirSync } from 'node:fs';
import { absent, type Content, type ContentCache, createContentReader, isCode, isMissing } from './content.ts';
import { generatedRules, isMadeByTool, versionControlFolders } from './generated.ts';
import type { ReadOptions } from './git-state.ts';
import { type IgnoreRules, isIgnored, parseIgnoreRules } from './ignore-rules.ts';
import { isUnder, join, type RawPath, toBytes } from './raw-path.ts';
import { readSmallFile } from './small-file.ts';
import { createTurns } from './turns.ts';
import { Unreadable } from './unreadable.ts';

/** A folder outside git, at one moment. */
export interface TreeState {
  readonly root: RawPath;
  readonly files: ReadonlyMap<RawPath, Content>;
  readonly cache: ContentCache;
}

const maxFiles = 200_000;

/** Reads every file below a folder that is not ignored; symbolic links are not followed. */
export async function readTreeState(root: RawPath, options: Omit<ReadOptions, 'env'>): Promise<TreeState> {
  const { paths, closed } = await listFiles(root, options.excluded);
  const reader = createContentReader({ algorithm: 'sha1', known: options.known });
  const files = new Map<RawPath, Content>(closed.map((folder) => [folder, 'unreadable folder']));
  for (const path of paths) {
    const content = await reader.read(join(root, path));
    if (content !== absent) files.set(path, content);
  }
  return { root, files, cache: reader.cache };
}

interface Listing {
  readonly paths: RawPath[];
  /** Folders without read permission. */
  readonly closed: RawPath[];
}

async function listFiles(root: RawPath, excluded: readonly RawPath[]): Promise<Listing> {
  const listing: Listing = { paths: [], closed: [] };
  const turns = createTurns();
  const folders: { readonly path: RawPath; readonly rules: IgnoreRules }[] = [{ path: '', rules: generatedRules }];
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
      if (versionControlFolders.has(entry.name) || isUnder(join(root, path), excluded)) continue;
      if (isIgnored(path, isFolder, rules)) continue;
      if (isFolder) folders.push({ path, rules });
      else listing.paths.push(path);
    }
    if (listing.paths.length > maxFiles) throw new Unreadable(`there are more than ${maxFiles} files`);
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
    // A folder may disappear during the walk; only the root itself must exist.
    if (folder === '') throw error;
    if (isMissing(error)) return [];
    if (isCode(error, 'EACCES')) return 'closed';
    throw error;
  }
}

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readLinkedText } from '../../workspace/index.ts';

export interface ProjectFolder {
  readonly folder: string;
  /** The names of its entries, sorted. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /** The text of a file in it; undefined for anything but a plain file of at most a megabyte. */
  text(name: string): string | undefined;
  /** The files directly in one of its folders, by their path in the project; of the project itself for ''. */
  filesIn(folder: string): readonly string[];
  /** Whether any file below it matches; reads a bounded number of entries, and skips dependencies and build output. */
  anyFile(matches: (file: string) => boolean): boolean;
}

const maxEntries = 20_000;
const maxDepth = 8;
const skippedFolders = new Set([
  'node_modules',
  'vendor',
  'target',
  'build',
  'dist',
  'out',
  'venv',
  '__pycache__',
  'deps',
]);

/** A folder that cannot be read is empty. */
export function openProject(folder: string): ProjectFolder {
  const names = namesIn(folder).map(({ name }) => name);
  const known = new Set(names);
  return {
    folder,
    names,
    has: (name) => (name.includes('/') ? hasEntry(folder, name) : known.has(name)),
    text: (name) => readLinkedText(path.join(folder, name)),
    filesIn: (inner) =>
      namesIn(path.join(folder, inner))
        .filter(({ isFolder }) => !isFolder)
        .map(({ name }) => path.posix.join(inner, name)),
    anyFile: (matches) => anyFile(folder, matches),
  };
}

function hasEntry(folder: string, name: string): boolean {
  return namesIn(path.join(folder, path.dirname(name))).some((entry) => entry.name === path.basename(name));
}

function anyFile(root: string, matches: (file: string) => boolean): boolean {
  let folders = [''];
  let left = maxEntries;
  for (let depth = 0; depth < maxDepth && folders.length > 0; depth += 1) {
    const below: string[] = [];
    for (const folder of folders) {
      for (const { name, isFolder } of namesIn(path.join(root, folder))) {
        left -= 1;
        if (left < 0) return false;
        const file = path.posix.join(folder, name);
        if (!isFolder && matches(file)) return true;
        if (isFolder && !name.startsWith('.') && !skippedFolders.has(name)) below.push(file);
      }
    }
    folders = below;
  }
  return false;
}

function namesIn(folder: string): readonly { readonly name: string; readonly isFolder: boolean }[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return [];
  }
}

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';

/** A folder as somebody sees it who wants to know how its tests are run. */
export interface ProjectFolder {
  readonly folder: string;
  /** What lies in it, sorted. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /** The text of a file in it; nothing for anything but a plain file of at most a megabyte. */
  text(name: string): string | undefined;
  /** Whether any file below fits; looks at a bounded number, and not at what tools or others wrote. */
  anyFile(fits: (file: string) => boolean): boolean;
}

const mostEntries = 20_000;
const deepest = 8;
const notOurs = new Set(['node_modules', 'vendor', 'target', 'build', 'dist', 'out', 'venv', '__pycache__', 'deps']);

/** Looks into a folder. One that cannot be read is empty. */
export function lookInto(folder: string): ProjectFolder {
  const names = namesIn(folder).map(({ name }) => name);
  const known = new Set(names);
  return {
    folder,
    names,
    has: (name) => (name.includes('/') ? isThere(folder, name) : known.has(name)),
    text: (name) => readSmallFile(toRaw(path.join(folder, name)))?.toString('utf8'),
    anyFile: (fits) => anyFile(folder, fits),
  };
}

function isThere(folder: string, name: string): boolean {
  return namesIn(path.join(folder, path.dirname(name))).some((entry) => entry.name === path.basename(name));
}

function anyFile(root: string, fits: (file: string) => boolean): boolean {
  let folders = [''];
  let left = mostEntries;
  for (let depth = 0; depth < deepest && folders.length > 0; depth += 1) {
    const below: string[] = [];
    for (const folder of folders) {
      for (const { name, isFolder } of namesIn(path.join(root, folder))) {
        left -= 1;
        if (left < 0) return false;
        const file = path.posix.join(folder, name);
        if (!isFolder && fits(file)) return true;
        if (isFolder && !name.startsWith('.') && !notOurs.has(name)) below.push(file);
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

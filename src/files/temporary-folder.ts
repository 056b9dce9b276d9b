import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder that only its owner can enter and that is gone when it is disposed of. */
export interface TemporaryFolder extends Disposable {
  readonly root: string;
}

/** Makes a place for files that must not remain; its name shows a later process whose it was. */
export function createTemporaryFolder(name?: string): TemporaryFolder {
  const root = mkdtempSync(path.join(tmpdir(), name === undefined ? 'ralphd-' : prefixOf(name)));
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

/** Removes the places of a name that a process left when it died: those given, and those where this one has its own. */
export function removeTemporaryFolders(name: string, known: readonly string[] = []): void {
  const here = readdirSync(tmpdir()).map((each) => path.join(tmpdir(), each));
  const left = [...known, ...here].filter((root) => path.basename(root).startsWith(prefixOf(name)));
  for (const root of left) rmSync(root, { recursive: true, force: true });
}

/** Puts a link to a folder into a volatile place. */
export function linkFolder(folder: string, at: string): void {
  symlinkSync(folder, at, 'dir');
}

function prefixOf(name: string): string {
  return `ralphd-${name}-`;
}

import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder that only its owner can enter and that is removed when it is disposed of. */
export interface TemporaryFolder extends Disposable {
  readonly root: string;
}

/** Creates a folder for temporary files; its name tells later processes who owned it. */
export function createTemporaryFolder(name?: string): TemporaryFolder {
  const root = mkdtempSync(path.join(tmpdir(), name === undefined ? 'ralphd-' : prefixOf(name)));
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

/** Removes temporary folders of a name that a dead process left, in the given places and in the default one. */
export function removeTemporaryFolders(name: string, known: readonly string[] = []): void {
  const here = readdirSync(tmpdir()).map((each) => path.join(tmpdir(), each));
  const left = [...known, ...here].filter((root) => path.basename(root).startsWith(prefixOf(name)));
  for (const root of left) rmSync(root, { recursive: true, force: true });
}

/** Creates a link to a folder in a temporary place. */
export function linkFolder(folder: string, at: string): void {
  symlinkSync(folder, at, 'dir');
}

function prefixOf(name: string): string {
  return `ralphd-${name}-`;
}

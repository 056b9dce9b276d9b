import path from 'node:path';
import { isLoopId } from '../../base/index.ts';
import { type FilePort, look, lookSafely, reading, readWhole, writeFileDurably, writing } from '../../files/index.ts';
import type { SnapshotDocument } from '../../protocol/index.ts';
import { isTooDeep } from '../journal/depth.ts';
import { parseDocument } from '../snapshot.ts';

const maxRegistryBytes = 16 * 1024 * 1024;

/** Where the registry of a state folder is. */
export interface RegistryPlace {
  readonly files: FilePort;
  /** The state folder, absolute. */
  readonly root: string;
}

/** What is found at the registry's path. */
export type RegistryReading =
  | { readonly kind: 'missing' | 'damaged' }
  | { readonly kind: 'document'; readonly document: SnapshotDocument };

/** The registry's file. */
export function registryPath(root: string): string {
  return path.join(root, 'registry.json');
}

/** Reads the registry, whoever wrote it. */
export function readRegistry({ files, root }: RegistryPlace): RegistryReading {
  const file = registryPath(root);
  if (lookSafely(files, root, 'folder') === undefined) return { kind: 'missing' };
  if (lookSafely(files, file, 'file') === undefined) return { kind: 'missing' };
  const bytes = readWhole(files, file, { limit: maxRegistryBytes });
  const document = isTooDeep(bytes) ? undefined : parseDocument(bytes);
  return document ? { kind: 'document', document } : { kind: 'damaged' };
}

/** Replaces the registry; one that is damaged is kept under another name first. Hold its lock. */
export function writeRegistry(place: RegistryPlace, document: SnapshotDocument): void {
  const { files, root } = place;
  const file = registryPath(root);
  if (readRegistry(place).kind === 'damaged') {
    writing(file, () => files.rename(file, `${file}.${files.uniqueName()}.broken`));
  }
  writeFileDurably(files, file, Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`));
}

/** The names below `loops/` that no ralphd made: folders of other tools, or stray files. */
export function foreignLoops({ files, root }: RegistryPlace): { readonly foreign: readonly string[]; ours: number } {
  const loops = path.join(root, 'loops');
  if (look(files, root) === undefined || lookSafely(files, loops, 'folder') === undefined)
    return { foreign: [], ours: 0 };
  const names = reading(loops, () => files.list(loops)).filter((name) => !name.startsWith('.'));
  const foreign = names.filter((name) => !isOurs(files, path.join(loops, name)));
  return { foreign, ours: names.length - foreign.length };
}

// We create the lock first; a process that died before that leaves an empty folder.
function isOurs(files: FilePort, folder: string): boolean {
  if (!isLoopId(path.basename(folder)) || look(files, folder)?.kind !== 'folder') return false;
  const names = reading(folder, () => files.list(folder));
  return names.length === 0 || names.includes('lock') || names.includes('journal');
}

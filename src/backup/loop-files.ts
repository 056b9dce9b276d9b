import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { type FilePort, look, reading } from '../files/index.ts';

/** A file of a loop, by its path below the loop's folder. */
export interface LoopFile {
  readonly path: string;
  readonly size: number;
}

/** The folder of a loop, to be copied. */
export interface LoopFolder {
  readonly files: FilePort;
  readonly folder: string;
  /** Tells files that must not leave the machine as they are now; there are none without it. */
  readonly isExposed?: ((file: string) => boolean) | undefined;
}

const maxPathLength = 200;
const maxDepth = 6;
// No leading dot: nothing hidden, no temporary file, no "..".
const partForm = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** What describes this machine or this moment, or is a copy of something else in the folder. */
const leftOut = new Set(['lock', 'owner.json', 'reserve', 'backups', 'backup.json', 'pulse.json']);

/** Whether a path below a loop's folder belongs in a backup. Decides what is written to one and what is read from one. */
function belongsInBackup(name: string): boolean {
  const parts = name.split('/');
  if (name.length > maxPathLength || parts.length > maxDepth || leftOut.has(parts[0] ?? '')) return false;
  return parts.every((part) => partForm.test(part) && !part.endsWith('.tmp'));
}

/** Refuses a path from a backup that no backup of ours contains. */
export function assertBelongs(name: string): void {
  if (belongsInBackup(name)) return;
  throw new LoopError(failures.backupDamaged('The backup', `"${name}" in it is not a file of a loop`));
}

/**
 * The files below a folder of a loop, in order; links and anything else that is no plain file are left out. What vanishes
 * meanwhile or must not leave the machine is left out too. A depth of 1 is the folder alone.
 */
export function filesBelow(loop: LoopFolder, below = '', depth = maxDepth): readonly LoopFile[] {
  const { files, folder, isExposed } = loop;
  const place = path.join(folder, below);
  if (look(files, place)?.kind !== 'folder') return [];
  const names = reading(place, () => files.list(place)).toSorted();
  return names.flatMap((name) => {
    const inner = below === '' ? name : `${below}/${name}`;
    if (!belongsInBackup(inner)) return [];
    const found = look(files, path.join(folder, inner));
    if (found?.kind === 'folder') return depth > 1 ? filesBelow(loop, inner, depth - 1) : [];
    return found?.kind === 'file' && isExposed?.(path.join(folder, inner)) !== true
      ? [{ path: inner, size: found.size }]
      : [];
  });
}

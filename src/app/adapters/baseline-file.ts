import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import { placeFile, readWhole } from '../../files/index.ts';
import type { LoopFolder } from '../../store/index.ts';

/** Stores one state of the work tree beyond this process; saving replaces the previous one. */
export interface BaselineFile {
  /** Saves bytes; a failure is ignored. */
  save(bytes: Uint8Array): void;
  /** The bytes last saved, if they can be read. */
  load(): Uint8Array | undefined;
}

const maxBytes = 64 * 1024 * 1024;

/** The stored states of the work tree: before the newest run, and at the start of the loop. */
const names = { run: 'work-tree.json.gz', start: 'start-tree.json.gz' } as const;

/**
 * One state of the work tree, in the loop's folder. It is never synced: the state before a run is for an agent that
 * outlived its ralphd, which a power cut rules out; without the state of the start, a run never counts as unchanged.
 */
export function createBaselineFile(
  { files, folder }: Pick<LoopFolder, 'files' | 'folder'>,
  of: keyof typeof names = 'run',
): BaselineFile {
  const file = path.join(folder, names[of]);
  return {
    save(bytes) {
      if (bytes.byteLength > maxBytes) return;
      unlessRefused(() => placeFile(files, file, bytes));
    },
    load: () => unlessRefused(() => readWhole(files, file, { limit: maxBytes })),
  };
}

// Without it the changes of an adopted run are unknown, which is better than not running at all.
function unlessRefused<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}

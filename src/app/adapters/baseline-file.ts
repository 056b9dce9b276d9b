import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import { placeFile, readWhole } from '../../files/index.ts';
import type { LoopFolder } from '../../store/index.ts';

/** Where one state of the work tree outlives this process; each that is saved replaces the one before. */
export interface BaselineFile {
  /** Keeps bytes; a disk that cannot take them is no reason to stop. */
  save(bytes: Uint8Array): void;
  /** What was kept last, if it can be read. */
  load(): Uint8Array | undefined;
}

const maxBytes = 64 * 1024 * 1024;

/** The states of the work tree that are kept: before the newest run, and the files when the loop began. */
const names = { run: 'work-tree.json.gz', start: 'start-tree.json.gz' } as const;

/**
 * One state of the work tree, in the loop's folder. It is never synced: that before a run serves for an agent that
 * outlived its ralphd, and after a power cut there is none; without that of the start no change is taken for none.
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

// Without it the changes of an adopted run are unknown, which is better than not to run at all.
function unlessRefused<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}

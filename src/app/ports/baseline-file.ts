import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import { type OpenLoop, placeFile, readWhole } from '../../store/index.ts';
import type { BaselineFile } from './workspace-port.ts';

const name = 'work-tree.json.gz';
const largestBytes = 64 * 1024 * 1024;

/**
 * The state of the work tree before the newest run, in the loop's folder. It is never synced: it serves for an agent
 * that outlived its ralphd, and after a power cut there is none.
 */
export function createBaselineFile(open: OpenLoop): BaselineFile {
  const { files } = open.place;
  const file = path.join(open.folder, name);
  return {
    save(bytes) {
      if (bytes.byteLength > largestBytes) return;
      unlessRefused(() => placeFile(files, file, bytes));
    },
    load: () => unlessRefused(() => readWhole(files, file, { limit: largestBytes })),
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

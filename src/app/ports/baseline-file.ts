import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import { type OpenLoop, readWhole } from '../../store/index.ts';
import type { BaselineFile } from './workspace-port.ts';

const name = 'work-tree.json.gz';
const largestBytes = 64 * 1024 * 1024;

/** The state of the work tree before the newest run, in the loop's folder. */
export function createBaselineFile(open: OpenLoop): BaselineFile {
  return {
    save(bytes) {
      if (bytes.byteLength > largestBytes) return;
      unlessRefused(() => open.writeView([name], bytes));
    },
    load: () => unlessRefused(() => readWhole(open.place.files, path.join(open.folder, name), { limit: largestBytes })),
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

import type { LoopStore, OpenOptions, StoredLoop } from '../../runner/index.ts';
import type { LoopFolders, LoopOnDisk, OpenLoop } from '../../store/index.ts';
import type { Machine } from '../machine.ts';
import { createFileLoop, type FileLoop } from './file-loop.ts';
import { foldState } from './fold-state.ts';
import type { Registry } from './registry-port.ts';

/** Loops in folders. */
export interface FileLoopStore extends LoopStore {
  create(loopId: string): Promise<FileLoop>;
  open(loopId: string, options?: OpenOptions): Promise<FileLoop>;
}

/** A folder of loops as a store for the runner; each call does its work before it returns. */
export function createFileLoopStore(
  folders: LoopFolders,
  setting: { readonly registry: Registry; readonly machine: Machine },
): FileLoopStore {
  return {
    create: async (loopId) => own(folders.create(loopId), setting),
    open: async (loopId, options) => own(folders.open(loopId, options), setting),
    read: async (loopId) => toStoredLoop(folders.read(loopId)),
    list: async () => folders.list(),
    changesSince: async (cursor) => {
      const before = parseCursor(cursor);
      const now = new Map(folders.list().map((loopId) => [loopId, folders.mark(loopId)]));
      return {
        loopIds: [...now].filter(([loopId, mark]) => before.get(loopId) !== mark).map(([loopId]) => loopId),
        removed: [...before.keys()].filter((loopId) => !now.has(loopId)),
        cursor: JSON.stringify([...now]),
      };
    },
  };
}

/** An open folder as an owned loop; a loop that cannot be read is released again. */
export function own(open: OpenLoop, setting: Parameters<typeof createFileLoop>[1]): FileLoop {
  try {
    return createFileLoop(open, setting);
  } catch (error) {
    open.close();
    throw error;
  }
}

function toStoredLoop(found: LoopOnDisk): StoredLoop {
  const { loopId, owner, problems } = found;
  return {
    loopId,
    loop: foldState(found),
    ...(owner === undefined ? {} : { owner }),
    problems,
  };
}

/** A cursor records the last known version of each loop. A foreign cursor counts as empty. */
function parseCursor(cursor: string | undefined): ReadonlyMap<string, string> {
  if (cursor === undefined) return new Map();
  try {
    return new Map(JSON.parse(cursor) as [string, string][]);
  } catch {
    return new Map();
  }
}

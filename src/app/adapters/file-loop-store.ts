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

/** A folder of loops as the store that a runner knows; its work is done before each call returns. */
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

/** An open folder as an owned loop; one that cannot be read is given up again. */
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

/** A cursor is what was seen of each loop. One that is not ours has seen nothing. */
function parseCursor(cursor: string | undefined): ReadonlyMap<string, string> {
  if (cursor === undefined) return new Map();
  try {
    return new Map(JSON.parse(cursor) as [string, string][]);
  } catch {
    return new Map();
  }
}

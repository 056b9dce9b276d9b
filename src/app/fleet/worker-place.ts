import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { makePrivateFolder, putUserFile, readUserFile } from '../../files/index.ts';
import { type LoopPermits, openLoopPermits } from '../../process/index.ts';
import { sqliteLock } from '../../store/index.ts';

/** The folders of a worker on its machine. */
export interface WorkerPlace extends Disposable {
  /** Names this folder in the fleet: one worker at a time holds its lock. */
  readonly machine: string;
  /** The working copies of its loops. */
  readonly root: string;
  /** Until when its agents may run. */
  readonly permitFile: string;
  /** The same for the agents of one loop. */
  readonly permits: LoopPermits;
  /** The work trees of its loops. */
  readonly work: string;
  /** Where the work tree of a loop is. */
  treeOf(loopId: string): string;
  /** What it fetched from repositories. */
  readonly cache: string;
}

/** Takes a worker's folder; refuses one that another worker holds. */
export function openWorkerPlace(folder: string): WorkerPlace {
  for (const name of ['', 'state', 'work', 'cache']) makePrivateFolder(path.join(folder, name));
  const lockFile = path.join(folder, 'lock');
  if (readUserFile(lockFile) === undefined) putUserFile(lockFile, '');
  const lock = sqliteLock.tryHold(lockFile);
  if (lock === undefined) throw new LoopError(failures.workerRunning(folder));
  const name = path.join(folder, 'machine');
  const machine = readUserFile(name)?.trim() || randomUUID();
  putUserFile(name, `${machine}\n`);
  const permitFile = path.join(folder, 'permit');
  return {
    machine,
    root: path.join(folder, 'state'),
    work: path.join(folder, 'work'),
    permitFile,
    permits: openLoopPermits(path.join(folder, 'permits'), permitFile),
    treeOf: (loopId) => path.join(folder, 'work', loopId),
    cache: path.join(folder, 'cache'),
    [Symbol.dispose]: () => lock.release(),
  };
}

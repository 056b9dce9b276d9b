import path from 'node:path';
import { look, moveLog, nodeFiles, openLog, quietly, readEnd, trimLog } from '../files/index.ts';
import { type LoopPlace, openGuardedStore } from './stores.ts';

/** The file name of the log of a background loop, in the loop's folder. */
const logName = 'detached.log';
const bounds = { maxBytes: 4 * 1024 * 1024, keepBytes: 1024 * 1024 };
const lastBytes = 4_096;

/** The log of a background process before it has its loop. */
export interface BackgroundLog extends Disposable {
  readonly path: string;
  readonly file: number;
  /** Its last line. */
  lastLine(): string;
  /** Removes it, unless it is in a loop's folder. */
  discard(): void;
}

/** Opens the log of a loop; before the loop exists, the log is in the state folder. */
export function openBackgroundLog(place: LoopPlace, env: NodeJS.ProcessEnv, loopId?: string): BackgroundLog {
  const store = openGuardedStore(place, env);
  const loopExists = loopId !== undefined && store.has(loopId);
  if (!loopExists) store.prepare();
  const temporary = path.join(place.root, `.${logName}.${nodeFiles.uniqueName()}.tmp`);
  const file = loopExists ? path.join(store.place(loopId).folder, logName) : temporary;
  const log = openLog(file);
  return {
    path: file,
    file: log,
    lastLine: () => readEnd(nodeFiles, file, lastBytes).toString().trimEnd().split('\n').at(-1) ?? '',
    discard: () => {
      if (!loopExists && look(nodeFiles, file) !== undefined) quietly(() => nodeFiles.remove(file));
    },
    [Symbol.dispose]: () => nodeFiles.close(log),
  };
}

/** Moves the log of this process into the folder of its loop and returns the new path. */
export function settleBackgroundLog(log: string, loopFolder: string): string {
  const settled = path.join(loopFolder, logName);
  moveLog(log, settled);
  return settled;
}

/** Limits the size of this process's log; `log` is its path. */
export function boundBackgroundLog(log: number): void {
  quietly(() => trimLog(log, bounds));
}

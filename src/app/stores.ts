import path from 'node:path';
import { isAlive, selfIdentity } from '../process/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import { createStore, type LoopStore } from '../store/index.ts';

/** Where a project's loops live. */
export interface LoopPlace {
  readonly workingDirectory: string;
  /** The state folder, absolute. */
  readonly root: string;
}

/** The place a configuration names, seen from a folder. */
export function placeOf(config: Pick<LoopConfig, 'workingDir' | 'stateDir'>, cwd: string): LoopPlace {
  const workingDirectory = path.resolve(cwd, config.workingDir);
  return { workingDirectory, root: path.resolve(workingDirectory, config.stateDir) };
}

/** The loops of a place, as this process sees and owns them. */
export function openStore({ root }: LoopPlace): LoopStore {
  return createStore({ root, owner: selfIdentity(), isAlive, now: () => new Date() });
}

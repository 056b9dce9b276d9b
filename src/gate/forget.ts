import path from 'node:path';
import { nodeCareFiles, removeRoomEntry } from '../files/index.ts';
import { dropBase } from './clean/base.ts';
import { findRepository } from './clean/repository.ts';

/** Whose files are removed. */
export interface ForgottenLoop {
  readonly loopId: string;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  /** The folder for rooms and snapshots of sealed gates. */
  readonly gates: string | undefined;
}

/** Removes what the gate of a loop keeps outside the loop's folder; returns what it removed. */
export async function forgetGate({ loopId, workingDirectory, env, gates }: ForgottenLoop): Promise<readonly string[]> {
  const removed: string[] = [];
  const folder = gates === undefined ? undefined : path.join(gates, loopId);
  if (folder !== undefined && nodeCareFiles.lookClosely(folder)?.kind === 'folder') {
    removeRoomEntry(folder);
    removed.push(folder);
  }
  const repository = await findRepository(workingDirectory, env);
  const ref = repository === undefined ? undefined : await dropBase(repository, loopId);
  return ref === undefined ? removed : [...removed, ref];
}

import { failures, LoopError } from '../base/index.ts';
import { isTerminal, type Loop } from '../core/index.ts';
import { nodeCareFiles } from '../files/index.ts';
import { forgetGate } from '../gate/index.ts';
import {
  type LoopFolders,
  loopAsLeftover,
  removeLeftovers,
  removeLoop,
  sqliteLock,
  whileUnowned,
} from '../store/index.ts';
import { endLeftovers, markerOf } from './adapters/agent-port.ts';
import { foldState } from './adapters/fold-state.ts';
import { endOrphanedWork } from './adapters/orphaned-work.ts';
import { endOwner } from './end-owner.ts';
import { findLoopId } from './read-loops.ts';
import { refreshQuietly } from './registry.ts';
import { remoteLoopsAt } from './remote-loops.ts';
import type { RemovalReport } from './removal-report.ts';
import { removeRestart } from './restart/restart.ts';
import { gatesRoot, type LoopPlace, mirrorFolder, openStore } from './stores.ts';
import { forgetLoop } from './trust/loop-lines.ts';
import { dropWorktree, type WorktreeRemoval } from './worktree-remove.ts';

/** Also remove a loop that could be resumed. */
export interface RemovalOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The folder in which the user is. */
  readonly cwd?: string;
  readonly force: boolean;
}

/**
 * Removes a loop and everything stored for it. A loop that can be resumed or cannot be read is removed only
 * with `force`, which ends its owner and its agent first.
 */
export async function removeWholeLoop(
  place: LoopPlace,
  query: string,
  { env, force, cwd }: RemovalOptions,
): Promise<RemovalReport> {
  const store = openStore(place);
  const loopId = findLoopId(place, query, { isUnique: true });
  const remote = remoteLoopsAt(place.root);
  if (remote !== undefined) return await remote.remove(loopId, { force });
  if (!force) assertEnded(store, loopId);
  const ended = await endOwner(store, loopId);
  const loop = readQuietly(store, loopId);
  if (loop !== undefined && !isTerminal(loop.status)) await endProcesses(loop);
  const folder = { ...store.place(loopId), files: nodeCareFiles };
  const { bytes } = loopAsLeftover(folder, 'removed');
  const worktree = await dropOwnWorktree(place, loop, {
    folder: folder.folder,
    env,
    force,
    ...(cwd === undefined ? {} : { cwd }),
  });
  whileUnowned(folder, sqliteLock, () => removeLoop(folder));
  const gate = await forgetGate({
    loopId,
    env,
    gates: gatesRoot(env),
    workingDirectory: loop?.origin.workingDirectory ?? place.workingDirectory,
  });
  const mirror = removeMirror(mirrorFolder(place, env, loopId));
  await removeRestart(loopId, place, env);
  forgetLoop(loopId, place, env);
  refreshQuietly(place);
  return {
    loopId,
    removed: [folder.folder, ...mirror, ...gate, ...worktree.removed],
    kept: worktree.kept,
    freedBytes: bytes,
    ended,
  };
}

async function dropOwnWorktree(
  { workingDirectory: repository }: LoopPlace,
  loop: Loop | undefined,
  options: RemovalOptions & { readonly folder: string },
): Promise<WorktreeRemoval> {
  return loop === undefined ? { removed: [], kept: [] } : await dropWorktree({ loop, repository, ...options });
}

function assertEnded(store: LoopFolders, loopId: string): void {
  const found = store.read(loopId);
  if (found.owner?.liveness === 'alive') throw new LoopError(failures.loopLocked(loopId, found.owner));
  const { status } = foldState(found);
  if (!isTerminal(status)) throw new LoopError(failures.removalRefused(loopId, status));
}

function readQuietly(store: LoopFolders, loopId: string): Loop | undefined {
  try {
    return foldState(store.read(loopId));
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}

/** Ends the agent, checks and hooks of a loop whose owner is gone. */
async function endProcesses(loop: Loop): Promise<void> {
  const {
    position: { current },
    origin: { uuid },
    config,
  } = loop;
  if (current !== undefined) await endLeftovers(markerOf(uuid, current), current.process, config.iteration.killGrace);
  await endOrphanedWork(loop);
}

function removeMirror(folder: string | undefined): readonly string[] {
  if (folder === undefined || nodeCareFiles.lookClosely(folder)?.kind !== 'folder') return [];
  removeLeftovers(nodeCareFiles, [{ path: folder, bytes: 0, why: 'copy of a removed loop' }]);
  return [folder];
}

import { failures, LoopError } from '../base/index.ts';
import { isTerminal, type Loop } from '../core/index.ts';
import { maxConcurrentLoops } from '../formats/index.ts';
import { findTop } from '../gate/index.ts';
import { isFolder } from '../workspace/index.ts';
import type { LoopView } from './loop-view.ts';
import { listLoops } from './read-loops.ts';
import { listStatuses } from './read-status.ts';
import type { LoopPlace } from './stores.ts';

/** How a new loop relates to others. */
export interface Admission {
  readonly force: boolean;
  /** Refuse to share the working directory. */
  readonly exclusive: boolean;
  readonly workingDirectory: string;
}

/** Refuses a loop beyond the maximum or in a work tree in use, or warns if it is forced. Paused loops do not count. */
export function admitLoop(place: LoopPlace, admission: Admission): readonly string[] {
  const live = listLoops(place).loops.filter(isLive);
  return [
    ...checkSharing(live, admission),
    ...checkLimit(
      live.filter(({ loop }) => loop.status !== 'paused'),
      admission,
    ),
  ];
}

/** Refuses to resume a loop in a work tree in which another one is at work. */
export async function assertNotShared(place: LoopPlace, { id, origin }: Loop, force: boolean): Promise<void> {
  if (force) return;
  const { loops } = await listStatuses(place, ({ loopId }) => loopId !== id);
  const top = findTop(origin.workingDirectory);
  const working = loops.filter((found) => isAtWork(found) && findTop(found.view.workingDirectory) === top);
  if (working.length === 0) return;
  const names = working.map(({ view, ...found }) => nameOf(view.id, found));
  throw new LoopError(failures.workTreeInUse(origin.workingDirectory, names));
}

/** Refuses to resume a loop whose worktree was removed. */
export function assertWorktreeIsThere({ id, origin: { worktree, workingDirectory } }: Loop): void {
  if (worktree === undefined || isFolder(workingDirectory)) return;
  throw new LoopError(failures.worktreeGone(id, worktree.path, worktree.branch));
}

/** Two loops in one work tree count each other's changes as their own: refuses, or warns of one that is not at work. */
function checkSharing(live: readonly LoopView[], { force, exclusive, workingDirectory }: Admission): readonly string[] {
  const sharing = inSameTree(live, workingDirectory);
  if (sharing.length === 0) return [];
  if (!force && (exclusive || sharing.some(({ loop }) => loop.config.exclusive))) {
    throw new LoopError(failures.folderTaken(workingDirectory, namesOf(sharing)));
  }
  const working = sharing.filter(isAtWork);
  if (!force && working.length > 0) throw new LoopError(failures.workTreeInUse(workingDirectory, namesOf(working)));
  const names = namesOf(sharing).join(', ');
  return [`Another loop works in this folder too: ${names}. Each will count the other's changes as its own.`];
}

/** Changes anywhere in a work tree count for each loop in it. */
function inSameTree(views: readonly LoopView[], workingDirectory: string): readonly LoopView[] {
  if (views.length === 0) return [];
  const top = findTop(workingDirectory);
  return views.filter(({ loop }) => findTop(loop.origin.workingDirectory) === top);
}

function checkLimit(live: readonly LoopView[], { force }: Admission): readonly string[] {
  if (live.length < maxConcurrentLoops) return [];
  if (!force) throw new LoopError(failures.tooManyLoops(maxConcurrentLoops, namesOf(live)));
  const count = `${live.length + 1} loops run here, more than the limit of ${maxConcurrentLoops}`;
  return [`${count}; tools that enforce that limit on registry.json will reject it.`];
}

function namesOf(views: readonly LoopView[]): readonly string[] {
  return views.map(({ loop, ...found }) => nameOf(loop.id, found));
}

function nameOf(id: string, { shownStatus, agentPid }: Pick<LoopView, 'shownStatus' | 'agentPid'>): string {
  const isLeft = shownStatus === 'crashed' && agentPid !== undefined;
  return `${id} (${shownStatus}${isLeft ? ', but its agent is still at work' : ''})`;
}

function isLive({ loop, owner }: LoopView): boolean {
  return loop.status === 'idle' ? owner?.liveness === 'alive' : !isTerminal(loop.status);
}

/** Whether the loop may change files now, or later without a command. */
function isAtWork({ shownStatus, agentPid, owner }: Pick<LoopView, 'shownStatus' | 'agentPid' | 'owner'>): boolean {
  if (agentPid !== undefined) return true;
  if (shownStatus === 'idle') return owner?.liveness === 'alive';
  return shownStatus === 'running' || shownStatus === 'completing';
}

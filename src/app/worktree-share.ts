import { failures, LoopError } from '../base/index.ts';
import { isTerminal, type Loop } from '../core/index.ts';
import { nodeFiles } from '../files/index.ts';
import { maxConcurrentLoops, type OtherLoop, othersAtWork } from '../formats/index.ts';
import { findTop } from '../gate/index.ts';
import { isAiwgRoot, type LoopCandidate, readRegistry } from '../store/index.ts';
import { isFolder } from '../workspace/index.ts';
import type { LoopView } from './loop-view.ts';
import { thisMachine } from './machine.ts';
import { lastWorkingDirectory, listStatuses } from './read-status.ts';
import { readSafely } from './registry.ts';
import { knownPlaces } from './roots.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** How a new loop relates to others. */
export interface Admission {
  readonly force: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** Refuse to share the working directory. */
  readonly exclusive: boolean;
  readonly workingDirectory: string;
}

/** Refuses a loop beyond the maximum or in a work tree in use, or warns if it is forced. Paused loops do not count. */
export async function admitLoop(place: LoopPlace, admission: Admission): Promise<readonly string[]> {
  const live = await liveLoops(place);
  const elsewhere = await loopsElsewhere(place, admission);
  return [...checkSharing([...live, ...elsewhere], admission), ...checkLimit(place, live, admission)];
}

/** The same for a loop that is about to run again. */
export async function readmitLoop(
  place: LoopPlace,
  { id, status, origin }: Loop,
  { force, env }: Pick<Admission, 'force' | 'env'>,
): Promise<readonly string[]> {
  const others = await liveLoops(place, ({ loopId }) => loopId !== id);
  const elsewhere = await loopsElsewhere(place, { workingDirectory: origin.workingDirectory, env });
  const working = inSameTree([...others, ...elsewhere].filter(isAtWork), origin.workingDirectory);
  if (!force && working.length > 0) {
    throw new LoopError(failures.workTreeInUse(origin.workingDirectory, namesOf(working)));
  }
  // Any loop that is not paused already counts as running.
  return status === 'paused' ? checkLimit(place, others, { force }) : [];
}

/** The loops that have not ended, read completely; of the others only the view is read. */
async function liveLoops(place: LoopPlace, isWanted?: (loop: LoopCandidate) => boolean): Promise<readonly LoopView[]> {
  const store = openStore(place);
  const { loops } = await listStatuses(place, isWanted);
  const live = loops.filter(({ view }) => !isTerminal(view.status));
  return live.flatMap(({ view }) => readSafely(store, view.id)).filter(isLive);
}

/** The loops at work in the same work tree whose state this user keeps elsewhere. */
async function loopsElsewhere(
  { root }: LoopPlace,
  { workingDirectory, env }: Pick<Admission, 'workingDirectory' | 'env'>,
): Promise<readonly LoopView[]> {
  const top = findTop(workingDirectory);
  const isNear = (folder: string) => findTop(folder) === top;
  const found: LoopView[] = [];
  for (const place of knownPlaces(env).filter((each) => each.root !== root && mayHaveLiveLoops(each))) {
    const store = openStore(place);
    const mayBeNear = (loop: LoopCandidate) => {
      const last = lastWorkingDirectory(loop);
      return last === undefined || isNear(last);
    };
    // A loop moves only when it is restored, to the project of its place; otherwise its last view tells where it works.
    const { loops } = await listStatuses(place, isNear(place.workingDirectory) ? undefined : mayBeNear);
    const near = loops.filter(({ view }) => !isTerminal(view.status) && isNear(view.workingDirectory));
    found.push(...near.flatMap(({ view }) => readSafely(store, view.id)).filter(isAtWork));
  }
  return found;
}

/** A glance at the registry spares reading the loops of every project. */
function mayHaveLiveLoops({ root }: LoopPlace): boolean {
  try {
    const found = readRegistry({ files: nodeFiles, root });
    const active: unknown = found.kind === 'document' ? found.document['active_loops'] : undefined;
    return !Array.isArray(active) || active.length > 0;
  } catch (error) {
    if (error instanceof LoopError) return false;
    throw error;
  }
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

function checkLimit(
  place: LoopPlace,
  live: readonly LoopView[],
  { force }: Pick<Admission, 'force'>,
): readonly string[] {
  const own = live.filter(({ loop }) => loop.status !== 'paused');
  const running = [...namesOf(own), ...othersHere(place).map(({ loop_id, status }) => `${loop_id} (${status}, AIWG)`)];
  if (running.length < maxConcurrentLoops) return [];
  if (!force) throw new LoopError(failures.tooManyLoops(maxConcurrentLoops, running));
  const count = `${running.length + 1} loops run here, more than the limit of ${maxConcurrentLoops}`;
  return [`${count}; tools that enforce that limit on registry.json will reject it.`];
}

/** The loops of AIWG's tools at work in a folder that both use. */
function othersHere(place: LoopPlace): readonly OtherLoop[] {
  if (!isAiwgRoot(place.root)) return [];
  const found = readRegistry({ files: nodeFiles, root: place.root });
  if (found.kind !== 'document') return [];
  const own = new Set(openStore(place).list());
  const { clock, isRunning } = thisMachine;
  return othersAtWork(found.document, own, { nowMs: clock.nowMs(), isRunning });
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

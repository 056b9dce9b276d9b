import path from 'node:path';
import { byText, LoopError } from '../base/index.ts';
import { type Evaluation, isTerminal } from '../core/index.ts';
import { look, nodeFiles } from '../files/index.ts';
import { linksIn, type StoredView, viewIn } from '../protocol/index.ts';
import { type FoundLoop, type LoopCandidate, type LoopGlance, type LoopOnDisk, readRegistry } from '../store/index.ts';
import { readFilePulse } from './adapters/file-pulses.ts';
import type { BackupStanding } from './backups/records.ts';
import { chooseLoop } from './choose-loop.ts';
import { type ListedLoops, type LoopStatus, statusOf, type UnreadableLoop } from './loop-view.ts';
import { hasNotifyRecords, notificationProblems } from './notification-records.ts';
import { readPendingCommands } from './pending-commands.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** All loops of a place, for display. An unreadable loop does not hide the others. */
export async function listStatuses(
  place: LoopPlace,
  isWanted: (loop: LoopCandidate) => boolean = () => true,
): Promise<ListedLoops<LoopStatus>> {
  return await statusesOf(openStore(place).candidates().filter(isWanted));
}

async function statusesOf(candidates: readonly LoopCandidate[]): Promise<ListedLoops<LoopStatus>> {
  const loops: LoopStatus[] = [];
  const unreadable: UnreadableLoop[] = [];
  for (const candidate of candidates) {
    try {
      const status = await readCandidate(candidate);
      if (status !== undefined) loops.push(status);
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      if (candidate.isLoop()) unreadable.push({ loopId: candidate.loopId, error });
    }
  }
  return { loops, unreadable };
}

/** What may be a loop, for display; undefined if it is none. */
export async function readCandidate(candidate: LoopCandidate): Promise<LoopStatus | undefined> {
  const seen = statusFromView(candidate);
  if (seen !== undefined || !candidate.isLoop()) return seen;
  return await readFully(candidate.read());
}

/** The loop a user means, for display. */
export async function readStatus(place: LoopPlace, query: string | undefined): Promise<LoopStatus> {
  const store = openStore(place);
  const isExact = query !== undefined && store.has(query);
  const onDisk = store.read(isExact ? query : await chosenId(place, query));
  const found = await readFully(onDisk);
  const backups = await readBackups(found.folder, onDisk.lastSeq);
  const continuedBy = await findSuccessor(place, found.view);
  const pulse = readFilePulse(store, found.view.id);
  const problems = [
    ...found.problems,
    ...notificationProblems(store.place(found.view.id)),
    ...(await unsentLines(place, found)),
  ];
  const pending = await readPendingCommands(place, found.view.id);
  return {
    ...found,
    problems,
    pending,
    ...(pulse && { pulse }),
    ...(continuedBy === undefined ? {} : { continuedBy }),
    ...(backups.length === 0 ? {} : { backups }),
  };
}

/** Loaded only for a loop with backup targets. */
async function readBackups(folder: string, seq: number): Promise<readonly BackupStanding[]> {
  if (look(nodeFiles, path.join(folder, 'backup.json')) === undefined) return [];
  const { standingsOf } = await import('./backups/records.ts');
  return standingsOf(folder, seq);
}

/** Loaded only for a loop with notifications and without a process, because it reads the whole loop. */
async function unsentLines(place: LoopPlace, { view: { id }, owner }: LoopStatus): Promise<readonly string[]> {
  if (owner?.liveness === 'alive' || !hasNotifyRecords(openStore(place).place(id))) return [];
  const { unsentProblems } = await import('./unsent-notifications.ts');
  return unsentProblems(place, id).map((problem) => `${problem} Send it with: ralphd notify send ${id}`);
}

async function chosenId(place: LoopPlace, query: string | undefined): Promise<string> {
  const { loops, unreadable } = await listStatuses(place);
  return chooseLoop(place, query, { loops: loops.map(({ view }) => view), unreadable, orNewest: true });
}

/**
 * The newest loop that continues an ended one. For a loop that has not ended, the others are not even read; the registry
 * records which loop each one continues, so only loops that it does not list are read.
 */
export async function findSuccessor(
  place: LoopPlace,
  { id, status }: Pick<StoredView, 'id' | 'status'>,
): Promise<string | undefined> {
  if (!isTerminal(status)) return undefined;
  const links = readLinks(place);
  const mayContinue = (loopId: string) => (links.has(loopId) ? links.get(loopId) === id : loopId !== id);
  const { loops } = await statusesOf(openStore(place).candidates(mayContinue));
  const successors = loops.map(({ view }) => view).filter(({ resumedFrom }) => resumedFrom === id);
  const [newest] = successors.toSorted((one, other) => byText(other.startedAt ?? '', one.startedAt ?? ''));
  return newest?.id;
}

function readLinks({ root }: LoopPlace): ReadonlyMap<string, string | null> {
  try {
    const registry = readRegistry({ files: nodeFiles, root });
    return registry.kind === 'document' ? linksIn(registry.document) : new Map();
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    return new Map();
  }
}

/** How the rules and conditions of a loop stood after each of its newest iterations. */
export async function readHistory(place: LoopPlace, loopId: string): Promise<readonly Evaluation[]> {
  // Loaded on demand, because reading facts loads their schemas.
  const { readEvaluations } = await import('./adapters/evaluations.ts');
  return readEvaluations(place, loopId);
}

/** Where a loop works, from the last view that its owner wrote; undefined if only reading all of it tells. */
export function lastWorkingDirectory(loop: LoopCandidate): string | undefined {
  try {
    const snapshot = loop.lastSnapshot();
    return snapshot && storedView({ snapshot, loopId: loop.loopId })?.workingDirectory;
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}

/** A loop from the view that its owner wrote; undefined if that is not enough. */
export function statusFromView(loop: FoundLoop): LoopStatus | undefined {
  const found = loop.glance();
  const view = found && storedView(found);
  return found && view && statusOf(found, view);
}

async function readFully(found: LoopOnDisk): Promise<LoopStatus> {
  return statusOf(found, (found.entries.length === 0 && storedView(found)) || (await makeView(found)));
}

/** The view that the owner wrote. */
function storedView({ snapshot, loopId }: Pick<LoopGlance, 'snapshot' | 'loopId'>): StoredView | undefined {
  const view = snapshot && viewIn(snapshot);
  return view?.id === loopId && view.status !== 'idle' ? view : undefined;
}

async function makeView(found: LoopOnDisk): Promise<StoredView> {
  // Loaded on demand, because reading facts loads their schemas.
  const { foldView } = await import('./fold-view.ts');
  return foldView(found);
}

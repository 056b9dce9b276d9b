import { LoopError } from '../base/index.ts';
import type { Evaluation } from '../core/index.ts';
import { type StoredView, viewIn } from '../protocol/index.ts';
import type { FoundLoop, LoopOnDisk } from '../store/index.ts';
import { chooseLoop } from './choose-loop.ts';
import { type ListedLoops, type LoopStatus, statusOf, type UnreadableLoop } from './loop-view.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** All loops of a place, for somebody who only wants to see them. One that cannot be read does not hide the others. */
export async function listStatuses(place: LoopPlace): Promise<ListedLoops<LoopStatus>> {
  return await readAll(openStore(place).loops());
}

/** The loop a user means, for somebody who only wants to see it. */
export async function readStatus(place: LoopPlace, query: string | undefined): Promise<LoopStatus> {
  const store = openStore(place);
  const isExact = query !== undefined && store.has(query);
  const listed = await readAll(isExact ? [{ loopId: query, read: () => store.read(query) }] : store.loops());
  const candidates = { loops: listed.loops.map(({ view }) => view), unreadable: listed.unreadable };
  const loopId = chooseLoop(place, query, candidates);
  const found = listed.loops.find(({ view }) => view.id === loopId);
  if (found !== undefined) return found;
  throw listed.unreadable.find((each) => each.loopId === loopId)?.error ?? new TypeError(`${loopId} is missing.`);
}

/** How the rules and conditions of a loop stood after each of its newest iterations. */
export async function readHistory(place: LoopPlace, loopId: string): Promise<readonly Evaluation[]> {
  // Loaded on demand: reading facts takes their schemas.
  const { readEvaluations } = await import('./adapters/evaluations.ts');
  return readEvaluations(place, loopId);
}

async function readAll(found: readonly FoundLoop[]): Promise<ListedLoops<LoopStatus>> {
  const loops: LoopStatus[] = [];
  const unreadable: UnreadableLoop[] = [];
  for (const { loopId, read } of found) {
    try {
      const onDisk = read();
      loops.push(statusOf(onDisk, storedView(onDisk) ?? (await makeView(onDisk))));
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      unreadable.push({ loopId, error });
    }
  }
  return { loops, unreadable };
}

/** The view that the owner wrote, unless facts came later. */
function storedView({ snapshot, entries, loopId }: LoopOnDisk): StoredView | undefined {
  const view = snapshot === undefined || entries.length > 0 ? undefined : viewIn(snapshot);
  return view?.id === loopId && view.status !== 'idle' ? view : undefined;
}

async function makeView(found: LoopOnDisk): Promise<StoredView> {
  // Loaded on demand: reading facts takes their schemas.
  const [{ foldState }, { viewOf }] = await Promise.all([
    import('./adapters/fold-state.ts'),
    import('../formats/index.ts'),
  ]);
  return viewOf(foldState(found));
}

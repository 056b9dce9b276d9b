import { byText, LoopError } from '../base/index.ts';
import { type Evaluation, isTerminal } from '../core/index.ts';
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
  if (found !== undefined) {
    const continuedBy = await findSuccessor(place, found.view);
    return { ...found, ...(continuedBy === undefined ? {} : { continuedBy }) };
  }
  throw listed.unreadable.find((each) => each.loopId === loopId)?.error ?? new TypeError(`${loopId} is missing.`);
}

/** The newest loop that continues an ended one. A loop that has not ended has none, and costs no look at the others. */
export async function findSuccessor(
  place: LoopPlace,
  { id, status }: Pick<StoredView, 'id' | 'status'>,
): Promise<string | undefined> {
  if (!isTerminal(status)) return undefined;
  const { loops } = await listStatuses(place);
  const successors = loops.map(({ view }) => view).filter(({ resumedFrom }) => resumedFrom === id);
  const [newest] = successors.toSorted((one, other) => byText(other.startedAt ?? '', one.startedAt ?? ''));
  return newest?.id;
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

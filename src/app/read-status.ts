import { byText, LoopError } from '../base/index.ts';
import { type Evaluation, isTerminal } from '../core/index.ts';
import { type StoredView, viewIn } from '../protocol/index.ts';
import type { FoundLoop, LoopGlance, LoopOnDisk } from '../store/index.ts';
import { readFilePulse } from './adapters/file-pulses.ts';
import { chooseLoop } from './choose-loop.ts';
import { type ListedLoops, type LoopStatus, statusOf, type UnreadableLoop } from './loop-view.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** All loops of a place, for display. An unreadable loop does not hide the others. */
export async function listStatuses(
  place: LoopPlace,
  isRelevant: (loop: FoundLoop) => boolean = () => true,
): Promise<ListedLoops<LoopStatus>> {
  const loops: LoopStatus[] = [];
  const unreadable: UnreadableLoop[] = [];
  for (const loop of openStore(place).loops()) {
    try {
      if (isRelevant(loop)) loops.push(statusFromView(loop) ?? (await readFully(loop.read())));
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      unreadable.push({ loopId: loop.loopId, error });
    }
  }
  return { loops, unreadable };
}

/** The loop a user means, for display. */
export async function readStatus(place: LoopPlace, query: string | undefined): Promise<LoopStatus> {
  const store = openStore(place);
  const isExact = query !== undefined && store.has(query);
  const found = await readFully(store.read(isExact ? query : await chosenId(place, query)));
  const continuedBy = await findSuccessor(place, found.view);
  const pulse = readFilePulse(store, found.view.id);
  return { ...found, ...(pulse && { pulse }), ...(continuedBy === undefined ? {} : { continuedBy }) };
}

async function chosenId(place: LoopPlace, query: string | undefined): Promise<string> {
  const { loops, unreadable } = await listStatuses(place);
  return chooseLoop(place, query, { loops: loops.map(({ view }) => view), unreadable, orNewest: true });
}

/** The newest loop that continues an ended one. For a loop that has not ended, the others are not even read. */
export async function findSuccessor(
  place: LoopPlace,
  { id, status }: Pick<StoredView, 'id' | 'status'>,
): Promise<string | undefined> {
  if (!isTerminal(status)) return undefined;
  const { loops } = await listStatuses(place, (loop) => loop.loopId !== id && loop.mentions(id));
  const successors = loops.map(({ view }) => view).filter(({ resumedFrom }) => resumedFrom === id);
  const [newest] = successors.toSorted((one, other) => byText(other.startedAt ?? '', one.startedAt ?? ''));
  return newest?.id;
}

/** How the rules and conditions of a loop stood after each of its newest iterations. */
export async function readHistory(place: LoopPlace, loopId: string): Promise<readonly Evaluation[]> {
  // Loaded on demand, because reading facts loads their schemas.
  const { readEvaluations } = await import('./adapters/evaluations.ts');
  return readEvaluations(place, loopId);
}

function statusFromView(loop: FoundLoop): LoopStatus | undefined {
  const found = loop.glance();
  const view = found && storedView(found);
  return found && view && statusOf(found, view);
}

async function readFully(found: LoopOnDisk): Promise<LoopStatus> {
  return statusOf(found, (found.entries.length === 0 && storedView(found)) || (await makeView(found)));
}

/** The view that the owner wrote. */
function storedView({ snapshot, loopId }: LoopGlance): StoredView | undefined {
  const view = snapshot && viewIn(snapshot);
  return view?.id === loopId && view.status !== 'idle' ? view : undefined;
}

async function makeView(found: LoopOnDisk): Promise<StoredView> {
  // Loaded on demand, because reading facts loads their schemas.
  const [{ foldState }, { viewOf }] = await Promise.all([
    import('./adapters/fold-state.ts'),
    import('../formats/index.ts'),
  ]);
  return viewOf(foldState(found));
}

import { LoopError } from '../base/index.ts';
import type { Evaluation, ShownLoop } from '../core/index.ts';
import { glanceAtStateDocument } from '../formats/index.ts';
import type { FoundLoop, LoopOnDisk } from '../store/index.ts';
import { chooseLoop } from './choose-loop.ts';
import { type ListedLoops, type LoopView, type UnreadableLoop, viewOf } from './loop-view.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** All loops of a place, for somebody who only wants to see them. */
export async function showLoops(place: LoopPlace): Promise<ListedLoops<ShownLoop>> {
  return await show(openStore(place).loops());
}

/** The loop a user means, for somebody who only wants to see it. */
export async function showLoop(place: LoopPlace, query: string | undefined): Promise<LoopView<ShownLoop>> {
  const store = openStore(place);
  const isExact = query !== undefined && store.has(query);
  const listed = await show(isExact ? [{ loopId: query, read: () => store.read(query) }] : store.loops());
  const loopId = chooseLoop(place, query, listed);
  const view = listed.loops.find(({ loop }) => loop.id === loopId);
  if (view !== undefined) return view;
  throw listed.unreadable.find((each) => each.loopId === loopId)?.error ?? new TypeError(`${loopId} is missing.`);
}

/** How the rules and conditions of a loop stood after each of its newest iterations. */
export async function showEvaluations(place: LoopPlace, loopId: string): Promise<readonly Evaluation[]> {
  // Loaded on demand: reading facts takes their schemas.
  const { readEvaluations } = await import('./ports/evaluations.ts');
  return readEvaluations(place, loopId);
}

async function show(found: readonly FoundLoop[]): Promise<ListedLoops<ShownLoop>> {
  const loops: LoopView<ShownLoop>[] = [];
  const unreadable: UnreadableLoop[] = [];
  for (const { loopId, read } of found) {
    try {
      const onDisk = read();
      loops.push(viewOf(onDisk, glance(onDisk) ?? (await fold(onDisk))));
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      unreadable.push({ loopId, error });
    }
  }
  return { loops, unreadable };
}

/** A snapshot that says everything can be shown as it is. */
function glance({ snapshot, entries, loopId }: LoopOnDisk): ShownLoop | undefined {
  const loop = snapshot === undefined || entries.length > 0 ? undefined : glanceAtStateDocument(snapshot);
  return loop?.id === loopId && loop.status !== 'idle' ? loop : undefined;
}

async function fold(found: LoopOnDisk): Promise<ShownLoop> {
  // Loaded on demand: reading facts takes their schemas.
  const { foldState } = await import('./ports/store-port.ts');
  return foldState(found);
}

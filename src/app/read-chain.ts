import { byText } from '../base/index.ts';
import { isTerminal, type Loop, type Spent } from '../core/index.ts';
import type { Status } from '../protocol/index.ts';
import type { LoopStatus } from './loop-view.ts';
import { listStatuses } from './read-status.ts';
import type { LoopPlace } from './stores.ts';

/** One of the loops of which each continues the work of the one before. */
export interface ChainLink {
  readonly loopId: string;
  /** What became of it; missing if the loop was removed or cannot be read. */
  readonly known?: {
    readonly status: Status | 'idle';
    /** How many iterations it finished. */
    readonly iterations: number;
    readonly spent: Spent;
  };
}

/**
 * All loops that led to a loop and those that continue it, oldest first, with the loop itself; empty for a loop that
 * stands alone. Of several loops that continue one, the newest counts.
 */
export async function readChain(
  place: LoopPlace,
  { id, status, origin }: Pick<Loop, 'id' | 'status' | 'origin'>,
): Promise<readonly ChainLink[]> {
  if (origin.resumedFrom === undefined && !isTerminal(status)) return [];
  const { loops } = await listStatuses(place);
  const byId = new Map(loops.map((each) => [each.view.id, each]));
  const chain = [id];
  const isNew = (other: string | undefined): other is string => other !== undefined && !chain.includes(other);
  for (let from = origin.resumedFrom; isNew(from); from = byId.get(from)?.view.resumedFrom) chain.unshift(from);
  for (let next = successorOf(id, loops); isNew(next); next = successorOf(next, loops)) chain.push(next);
  return chain.length === 1 ? [] : chain.map((loopId) => ({ loopId, ...knownOf(byId.get(loopId)) }));
}

function successorOf(id: string, loops: readonly LoopStatus[]): string | undefined {
  const successors = loops.map(({ view }) => view).filter(({ resumedFrom }) => resumedFrom === id);
  const [newest] = successors.toSorted((one, other) => byText(other.startedAt ?? '', one.startedAt ?? ''));
  return newest?.id;
}

function knownOf(found: LoopStatus | undefined): Pick<ChainLink, 'known'> {
  if (found === undefined) return {};
  const { shownStatus: status, view } = found;
  return { known: { status, iterations: view.stats.iterations, spent: view.spent } };
}

import { byText, failures, LoopError, type LoopNames, resolveLoopId } from '../base/index.ts';
import { isTerminal } from '../core/index.ts';
import type { Status } from '../protocol/index.ts';
import type { ListedLoops } from './loop-view.ts';
import { remoteLoopsAt } from './remote-loops.ts';
import type { LoopPlace } from './stores.ts';

/**
 * The id of the loop a user means: by name, by a unique prefix of it, by UUID, or the only loop there is. A loop that
 * cannot be read is still found by its id. With `orNewest`, the newest loop is meant
 * if no id is given and all loops have ended.
 */
export function chooseLoop(
  { root }: Pick<LoopPlace, 'root'>,
  query: string | undefined,
  { loops, unreadable, orNewest = false }: ListedLoops<ChosenFrom> & { readonly orNewest?: boolean },
): string {
  const readable = loops.map(({ status, ...names }) => ({ ...names, isOver: isTerminal(status) }));
  const unstarted = (remoteLoopsAt(root)?.undriven() ?? []).filter(({ isStarted }) => !isStarted);
  const unread = [...unreadable.map(({ loopId }) => loopId), ...unstarted.map(({ id }) => id)];
  const all = [...readable, ...unread.map((id) => ({ id, uuid: '', isOver: false }))];
  const sorted = all.toSorted((one, other) => byText(one.id, other.id));
  const chosen = query === undefined ? onlyLoop(root, sorted, orNewest) : resolve(root, query, sorted);
  const waits = unstarted.find(({ id }) => id === chosen);
  if (waits === undefined) return chosen;
  const { isSetAside, submittedAt } = waits;
  const why = waits.why?.replace(/\.$/, '');
  throw new LoopError(
    isSetAside ? failures.loopSetAside(chosen, why) : failures.loopNotStarted(chosen, submittedAt, why),
  );
}

/** A candidate. */
interface ChosenFrom extends LoopNames {
  readonly status: Status | 'idle';
}

interface Candidate extends LoopNames {
  readonly isOver: boolean;
}

function onlyLoop(root: string, all: readonly Candidate[], orNewest: boolean): string {
  if (all.length === 0) throw new LoopError(failures.noLoops(root));
  const live = all.length === 1 ? all : all.filter(({ isOver }) => !isOver);
  const [first, second] = live;
  if (first !== undefined && second === undefined) return first.id;
  const [newest] = all.toSorted((one, other) => byText(other.startedAt ?? '', one.startedAt ?? ''));
  if (orNewest && live.length === 0 && newest !== undefined) return newest.id;
  throw new LoopError(failures.loopNotGiven((live.length === 0 ? all : live).map(({ id }) => id).join(', ')));
}

function resolve(root: string, query: string, all: readonly Candidate[]): string {
  const match = resolveLoopId(query, all);
  switch (match.kind) {
    case 'exact':
    case 'name':
    case 'prefix':
      return match.id;
    case 'ambiguous':
      throw new LoopError(failures.loopAmbiguous(query, match.candidates.join(', ')));
    case 'none':
      throw new LoopError(failures.loopNotFound(query, root));
  }
}

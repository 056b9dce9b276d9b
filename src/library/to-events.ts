import {
  emptyHistory,
  evolve,
  foldHistory,
  type HistoryFold,
  type IterationOutcome,
  idleLoop,
  type Loop,
  type LoopStatsSnapshot,
  openIterationOf,
  outcomeOf,
} from '../core/index.ts';
import { defaultConfig, type RecordedFact } from '../protocol/index.ts';

/** The name of a loop, `ralph-{slug}-{8 hex}`; before it has started, the `loop_…` form of its UUID. */
export type LoopId = string;

/** Something that happened in a loop; durable before anyone receives it. */
export type LoopEvent = RecordedFact & {
  /** The loop in which it happened. */
  readonly loopId: LoopId;
  /** The result of the iteration; only with `iteration.finished`. */
  readonly outcome?: IterationOutcome;
  /** The counters of the loop at its end; only with `loop.ended`. */
  readonly stats?: LoopStatsSnapshot;
};

/** Turns the facts of a loop into events, one after the other; `loop` is the loop before the first of them. */
export function createEventMaker(loopId: LoopId, loop: Loop = idleLoop(defaultConfig())) {
  const open = openIterationOf(loop);
  let state = loop;
  let fold: HistoryFold = { history: emptyHistory(1), ...(open && { open }) };
  return (fact: RecordedFact): LoopEvent => {
    const { history } = fold;
    state = evolve(state, fact);
    fold = foldHistory(fold, fact);
    const closed = fold.history === history ? undefined : fold.history.records.at(-1);
    return {
      ...fact,
      loopId,
      ...(closed && { outcome: outcomeOf(closed, state.config.contextRedlinePercent) }),
      ...(fact.type === 'loop.ended' && { stats: state.totals.stats }),
    };
  };
}

/** The events of a loop after a number. Its facts are given from the first on, because each builds on those before. */
export async function* toEvents(
  loopId: LoopId,
  facts: AsyncIterable<RecordedFact>,
  afterSeq = 0,
): AsyncGenerator<LoopEvent, void> {
  const make = createEventMaker(loopId);
  for await (const fact of facts) {
    const event = make(fact);
    if (event.seq > afterSeq) yield event;
  }
}

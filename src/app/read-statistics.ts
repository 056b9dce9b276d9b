import { LoopError } from '../base/index.ts';
import {
  type FailureTally,
  type IterationFigures,
  type IterationLog,
  type LoopFigures,
  logIteration,
  type Statistics,
  statisticsOf,
  talliedFacts,
  tallyFailure,
} from '../core/index.ts';
import { type LoopFolders, readFactsOfLoop } from '../store/index.ts';
import { typedFact } from './adapters/fold-state.ts';
import type { LoopView, UnreadableLoop } from './loop-view.ts';
import { findLoop, listLoops } from './read-loops.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** The statistics of the loops of a place, as far as they can be read. */
export interface StatisticsReport {
  readonly statistics: Statistics;
  readonly unreadable: readonly UnreadableLoop[];
}

/** The statistics of one loop, with its newest iterations. */
export interface LoopStatistics {
  readonly view: LoopView;
  readonly statistics: Statistics;
  readonly iterations: readonly IterationFigures[];
}

/** The totals over all loops of a place. */
export function readStatistics(place: LoopPlace): StatisticsReport {
  const store = openStore(place);
  const { loops, unreadable } = listLoops(place);
  const figures: LoopFigures[] = [];
  const unread = [...unreadable];
  for (const view of loops) {
    try {
      figures.push(read(store, view).figures);
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      unread.push({ loopId: view.loop.id, error });
    }
  }
  return { statistics: statisticsOf(figures), unreadable: unread };
}

/** The statistics of the loop a user means. */
export function readLoopStatistics(place: LoopPlace, query: string): LoopStatistics {
  const view = findLoop(place, query);
  const { figures, iterations } = read(openStore(place), view);
  return { view, statistics: statisticsOf([figures]), iterations };
}

/** What the journal adds to a loop's totals: its failures by class, agent and model, and each iteration. */
function read(store: LoopFolders, { loop, shownStatus }: LoopView) {
  let tally: FailureTally = { agent: loop.origin.agent, counts: [] };
  let log: IterationLog = { figures: [] };
  for (const entry of readFactsOfLoop(store.place(loop.id))) {
    if (!talliedFacts.has(entry.type)) continue;
    const fact = typedFact(loop.id, entry);
    tally = tallyFailure(tally, fact);
    log = logIteration(log, fact);
  }
  const { reason, verified } = loop.outcome;
  const figures: LoopFigures = {
    status: shownStatus,
    ...(reason === undefined ? {} : { reason }),
    verified,
    totals: loop.totals,
    failures: tally.counts,
  };
  return { figures, iterations: log.figures };
}

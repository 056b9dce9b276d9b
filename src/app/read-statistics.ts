import { LoopError } from '../base/index.ts';
import {
  emptyHistory,
  type FailureTally,
  foldHistory,
  foldMetrics,
  type HistoryFold,
  type IterationFigures,
  type IterationLog,
  type LoopFigures,
  logIteration,
  type MeasuredLoop,
  measuredFacts,
  type NumberedLoop,
  type Numbers,
  noJournalMetrics,
  numbersOf,
  type Statistics,
  statisticsOf,
  talliedFacts,
  tallyFailure,
} from '../core/index.ts';
import { toAnalyticsDocument, toAnalyticsIteration } from '../formats/index.ts';
import { type LoopFolders, readFactsOfLoop } from '../store/index.ts';
import { typedFact } from './adapters/fold-state.ts';
import type { LoopView, UnreadableLoop } from './loop-view.ts';
import { localTimeZone, timestamp } from './machine.ts';
import { findLoop, listLoops } from './read-loops.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** The statistics of the loops of a place, as far as they can be read. */
export interface StatisticsReport {
  readonly statistics: Statistics;
  /** What proven tasks took, by agent and by day. */
  readonly numbers: Numbers;
  readonly measured: readonly MeasuredLoop[];
  /** An analytics document for each loop. */
  readonly analytics: readonly Readonly<Record<string, unknown>>[];
  readonly unreadable: readonly UnreadableLoop[];
}

/** The statistics of one loop, with its newest iterations. */
export interface LoopStatistics {
  readonly view: LoopView;
  readonly statistics: Statistics;
  readonly numbers: Numbers;
  readonly iterations: readonly IterationFigures[];
  readonly measured: MeasuredLoop;
  /** The analytics document, with all iterations. */
  readonly analytics: Readonly<Record<string, unknown>>;
}

/** The totals over all loops of a place, or over those that started since an instant. */
export function readStatistics(place: LoopPlace, sinceMs?: number): StatisticsReport {
  const store = openStore(place);
  const { loops, unreadable } = listLoops(place);
  const isWanted = ({ loop }: LoopView) => sinceMs === undefined || Date.parse(loop.origin.startedAt ?? '') >= sinceMs;
  const found: ReadLoop[] = [];
  const unread = [...unreadable];
  for (const view of loops.filter(isWanted)) {
    try {
      found.push(read(store, view, newestIterations));
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      unread.push({ loopId: view.loop.id, error });
    }
  }
  return {
    statistics: statisticsOf(found.map(({ figures }) => figures)),
    numbers: numbersOf(
      found.map(({ numbered }) => numbered),
      localTimeZone(),
    ),
    measured: found.map(({ measured }) => measured),
    analytics: found.map(({ analytics }) => analytics),
    unreadable: unread,
  };
}

/** The statistics of the loop a user means. */
export function readLoopStatistics(place: LoopPlace, query: string): LoopStatistics {
  const view = findLoop(place, query);
  const { figures, numbered, ...found } = read(openStore(place), view, Number.MAX_SAFE_INTEGER);
  return { view, statistics: statisticsOf([figures]), numbers: numbersOf([numbered], localTimeZone()), ...found };
}

const newestIterations = 100;
const readTypes: ReadonlySet<string> = new Set([...talliedFacts, ...measuredFacts, 'gate.finished']);

interface ReadLoop extends Pick<LoopStatistics, 'iterations' | 'measured' | 'analytics'> {
  readonly figures: LoopFigures;
  readonly numbered: NumberedLoop;
}

/** What the journal adds to a loop's totals: its failures by class, agent and model, and each iteration. */
function read(store: LoopFolders, { loop, shownStatus }: LoopView, maxIterations: number): ReadLoop {
  let tally: FailureTally = { agent: loop.origin.agent, counts: [] };
  let log: IterationLog = { figures: [] };
  let history: HistoryFold = { history: emptyHistory(maxIterations) };
  let journal = noJournalMetrics;
  for (const entry of readFactsOfLoop(store.place(loop.id))) {
    if (!readTypes.has(entry.type)) continue;
    const fact = typedFact(loop.id, entry);
    tally = tallyFailure(tally, fact);
    log = logIteration(log, fact);
    history = foldHistory(history, fact);
    journal = foldMetrics(journal, fact);
  }
  const { reason, verified } = loop.outcome;
  const figures: LoopFigures = {
    status: shownStatus,
    ...(reason === undefined ? {} : { reason }),
    verified,
    totals: loop.totals,
    failures: tally.counts,
  };
  const iterations = history.history.records.map(toAnalyticsIteration);
  const analytics = toAnalyticsDocument({ ...loop, status: shownStatus }, iterations, timestamp());
  const measured = { loop, shownStatus, journal, isEncrypted: store.isProtected(loop.id) };
  const numbered: NumberedLoop = { loop, model: journal.model, failures: tally.counts };
  return { figures, numbered, iterations: log.figures, measured, analytics };
}

import type { RecordedFact } from '../../protocol/index.ts';
import { contextPercentOf } from '../loop/evolve-execution.ts';
import { emptyHistogram, type Histogram, observe } from './histogram.ts';

/** What metrics need of a journal beyond the loop's own totals. */
export interface JournalMetrics {
  /** How long the iterations took. */
  readonly durations: Histogram;
  /** How full the context was at each reboot, as far as that is known. */
  readonly contexts: Histogram;
  /** Sessions of the agent that ralphd started. */
  readonly sessions: number;
  /** The model that the agent named last. */
  readonly model?: string;
  /** Whether the attempt under way gets a session that is not counted yet. */
  readonly isFresh: boolean;
  /** How full the context was after the newest run. */
  readonly contextPercent?: number;
}

/** Up to 120 as the original list has it; iterations of agents often take longer. */
const durationBounds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];
const percentBounds = [10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 100];

/** Before the first fact. */
export const noJournalMetrics: JournalMetrics = {
  durations: emptyHistogram(durationBounds),
  contexts: emptyHistogram(percentBounds),
  sessions: 0,
  isFresh: false,
};

/** The facts that matter here; all others may be left out. */
export const measuredFacts: ReadonlySet<string> = new Set<RecordedFact['type']>([
  'iteration.started',
  'agent.started',
  'agent.finished',
  'iteration.finished',
  'reboot.finished',
]);

/** Takes one more fact. */
export function foldMetrics(metrics: JournalMetrics, fact: RecordedFact): JournalMetrics {
  switch (fact.type) {
    case 'iteration.started':
      return { ...metrics, isFresh: fact.data.session === 'fresh' };
    case 'agent.started':
      return countSession(metrics);
    case 'agent.finished': {
      const { ending, model } = fact.data;
      const percent = contextPercentOf(fact.data);
      // An owner that was killed may not have recorded the start of an agent that ran.
      const hasRun = ending.kind !== 'not_started' && ending.kind !== 'lost';
      return {
        ...(hasRun ? countSession(metrics) : metrics),
        ...(model === undefined ? {} : { model }),
        ...(percent === undefined ? {} : { contextPercent: percent }),
      };
    }
    case 'iteration.finished':
      return { ...metrics, durations: observe(metrics.durations, fact.data.durationMs / 1_000) };
    case 'reboot.finished': {
      const { contextPercent, ...rest } = metrics;
      if (!fact.data.ok) return metrics;
      return contextPercent === undefined ? rest : { ...rest, contexts: observe(rest.contexts, contextPercent) };
    }
    default:
      return metrics;
  }
}

function countSession(metrics: JournalMetrics): JournalMetrics {
  return metrics.isFresh ? { ...metrics, isFresh: false, sessions: metrics.sessions + 1 } : metrics;
}

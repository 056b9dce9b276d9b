import { emptyHistogram, type Histogram, observe } from '../core/index.ts';
import type { FactData, RecordedFact } from '../protocol/index.ts';
import { agentNames, inputTokensOf, known } from './attributes.ts';
import { durationBounds, names, tokenBounds } from './conventions.ts';
import type { Attributes } from './span.ts';

/** One series of a metric, from the start of the loop. */
export interface Series {
  readonly metric: typeof names.tokenUsage | typeof names.operationDuration;
  readonly attributes: Attributes;
  readonly histogram: Histogram;
}

/** The metrics of a loop's runs. */
export interface RunMetrics {
  readonly agent?: string;
  readonly startMs?: number;
  /** When the newest run was recorded. */
  readonly untilMs?: number;
  readonly series: ReadonlyMap<string, Series>;
}

/** Before the first fact. */
export const noRunMetrics: RunMetrics = { series: new Map() };

/** Takes one more fact. The totals are those since the start of the loop, so that sending them twice changes nothing. */
export function foldRunMetrics(metrics: RunMetrics, fact: RecordedFact): RunMetrics {
  if (fact.type === 'loop.started') return { ...metrics, agent: fact.data.agent, startMs: Date.parse(fact.at) };
  const { agent } = metrics;
  if (fact.type !== 'agent.finished' || agent === undefined) return metrics;
  const series = new Map(metrics.series);
  for (const { value, ...of } of valuesOf(agent, fact.data)) {
    const key = JSON.stringify([of.metric, of.attributes]);
    const bounds = of.metric === names.tokenUsage ? tokenBounds : durationBounds;
    const { histogram } = series.get(key) ?? { histogram: emptyHistogram(bounds) };
    series.set(key, { ...of, histogram: observe(histogram, value) });
  }
  return { ...metrics, series, untilMs: Date.parse(fact.at) };
}

type Value = Omit<Series, 'histogram'> & { readonly value: number };

function valuesOf(agent: string, run: FactData<'agent.finished'>): readonly Value[] {
  const { usage = {}, model, durationMs, outcome, ending } = run;
  const common = { 'gen_ai.operation.name': names.agentOperation, ...agentNames(agent, model) };
  const tokens = (type: string, value: number | undefined): readonly Value[] =>
    value === undefined
      ? []
      : [{ metric: names.tokenUsage, attributes: known({ ...common, 'gen_ai.token.type': type }), value }];
  const failure = outcome === 'completed' ? undefined : outcome;
  const duration: Value = {
    metric: names.operationDuration,
    attributes: known({ ...common, 'error.type': failure }),
    value: durationMs / 1_000,
  };
  // Nobody saw how long a run took whose end was lost.
  const isTimed = ending.kind !== 'lost' && ending.kind !== 'not_started';
  return [
    ...tokens('input', inputTokensOf(usage)),
    ...tokens('output', usage.outputTokens),
    ...(isTimed ? [duration] : []),
  ];
}

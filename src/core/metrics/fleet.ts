import { isTerminal } from '../loop/status.ts';
import type { Loop } from '../state/loop.ts';
import { addHistograms } from './histogram.ts';
import { labelText, type MeasuredLoop, type Metric, type MetricFamily, metricTable, type Sample } from './metrics.ts';

/** How a loop that is over ended. */
export type FleetOutcome = 'verified' | 'unverified' | 'failed' | 'aborted' | 'crashed';

/**
 * The metrics of many loops together, for a server that is asked again and again. Loops come and go, so none of them is a
 * label: there is one series for each agent, however many loops there were.
 */
export function fleetMetricsOf(measured: readonly MeasuredLoop[], unreadable: number): readonly MetricFamily[] {
  const byAgent = Map.groupBy(measured, ({ loop }) => labelText(loop.origin.agent));
  const families = Object.entries(metricTable).map(([name, metric]) => familyOf(name, metric, byAgent));
  return [loopsBy(measured), endedBy(measured), unreadableLoops(unreadable), ...families].filter(
    ({ samples }) => samples.length > 0,
  );
}

type ByAgent = ReadonlyMap<string, readonly MeasuredLoop[]>;

/** Shares of loops have a mean; everything else adds up. */
const averaged: ReadonlySet<string> = new Set(['test_pass_rate', 'progress_score']);

function familyOf(name: string, metric: Metric, byAgent: ByAgent): MetricFamily {
  if (metric.kind === 'histogram') {
    const { read, ...details } = metric;
    return { name, ...details, samples: samplesOf(byAgent, (loops) => reduced(loops.map(read), addHistograms)) };
  }
  const { read, help, ...details } = metric;
  const add = (one: number, other: number) => one + other;
  if (details.kind === 'counter') {
    return { name, help, ...details, samples: samplesOf(byAgent, (loops) => reduced(loops.map(read), add)) };
  }
  // What a loop that is over showed last says nothing about now.
  const current = (loops: readonly MeasuredLoop[]) => loops.filter(({ loop }) => !isTerminal(loop.status)).map(read);
  const isMean = averaged.has(name);
  const value = (values: readonly (number | undefined)[]) => {
    const known = values.filter((each) => each !== undefined);
    const sum = reduced(known, add);
    return sum === undefined || !isMean ? sum : sum / known.length;
  };
  const how = isMean ? 'The mean' : 'The sum';
  return {
    name,
    ...details,
    help: `${help} ${how} over the loops that are not over.`,
    samples: samplesOf(byAgent, (loops) => value(current(loops))),
  };
}

function samplesOf<Value>(
  byAgent: ByAgent,
  valueOf: (loops: readonly MeasuredLoop[]) => Value | undefined,
): readonly Sample<Value>[] {
  return [...byAgent].flatMap(([agent, loops]) => {
    const value = valueOf(loops);
    return value === undefined ? [] : [{ labels: { agent }, value }];
  });
}

/** What is known added up; undefined if nothing is. */
function reduced<Value>(
  values: readonly (Value | undefined)[],
  add: (one: Value, other: Value) => Value,
): Value | undefined {
  const [first, ...rest] = values.filter((value) => value !== undefined);
  return first === undefined ? undefined : rest.reduce<Value>(add, first);
}

function loopsBy(measured: readonly MeasuredLoop[]): MetricFamily {
  const labelled = measured.map(({ loop, shownStatus }) => ({
    agent: labelText(loop.origin.agent),
    status: shownStatus,
  }));
  return { name: 'loops', kind: 'gauge', help: 'Loops by their current status.', samples: counted(labelled) };
}

function endedBy(measured: readonly MeasuredLoop[]): MetricFamily {
  const labelled = measured.flatMap(({ loop }) => {
    const outcome = outcomeOf(loop);
    return outcome === undefined ? [] : [{ agent: labelText(loop.origin.agent), outcome }];
  });
  return { name: 'loops_ended', kind: 'counter', help: 'Loops that are over.', samples: counted(labelled) };
}

function unreadableLoops(count: number): MetricFamily {
  const help = 'Loops that cannot be read, so that all other metrics leave them out.';
  return { name: 'loops_unreadable', kind: 'gauge', help, samples: [{ labels: {}, value: count }] };
}

/** How a loop ended; undefined while it is not over. */
export function outcomeOf({ status, outcome }: Pick<Loop, 'status' | 'outcome'>): FleetOutcome | undefined {
  switch (status) {
    case 'completed':
      return outcome.verified ? 'verified' : 'unverified';
    case 'failed':
    case 'aborted':
    case 'crashed':
      return status;
    case 'idle':
    case 'running':
    case 'paused':
    case 'completing':
      return undefined;
  }
}

function counted(labelled: readonly Readonly<Record<string, string>>[]): readonly Sample<number>[] {
  return [...Map.groupBy(labelled, (labels) => JSON.stringify(labels)).values()].flatMap((same) => {
    const [labels] = same;
    return labels === undefined ? [] : [{ labels, value: same.length }];
  });
}

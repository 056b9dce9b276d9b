import { headText, scrub } from '../../base/index.ts';
import { limits, type Status } from '../../protocol/index.ts';
import { testSuccessRate } from '../loop/history.ts';
import { filesChanged } from '../rules/asking.ts';
import type { Loop } from '../state/loop.ts';
import { addHistograms, countOf, type Histogram } from './histogram.ts';
import type { JournalMetrics } from './journal-metrics.ts';

/** One loop, as far as metrics are about it. */
export interface MeasuredLoop {
  readonly loop: Loop;
  /** The public status: crashed for a loop that has lost its owner. */
  readonly shownStatus: Status | 'idle';
  readonly journal: JournalMetrics;
  /** Metrics leave the machine, so an encrypted loop has no label with its folder. */
  readonly isEncrypted: boolean;
}

/** A value with its labels. */
export interface Sample<Value> {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: Value;
}

/** A metric with all its values. */
export type MetricFamily = Details &
  (
    | { readonly kind: 'counter' | 'gauge'; readonly samples: readonly Sample<number>[] }
    | { readonly kind: 'histogram'; readonly samples: readonly Sample<Histogram>[] }
  );

interface Details {
  /** Without the prefix, and without the ending of a counter. */
  readonly name: string;
  readonly help: string;
  /** The unit, which is also the end of the name. */
  readonly unit?: string;
}

/** What the name of every metric begins with. */
export const metricPrefix = 'ralph_loop';

/** How to read a metric from a loop. Undefined stands for what is unknown, which is not 0. */
type Read<Value> = (measured: MeasuredLoop) => Value | undefined;

/** How one metric is described, and read from a loop. */
export type Metric = Omit<Details, 'name'> &
  (
    | { readonly kind: 'counter' | 'gauge'; readonly read: Read<number> }
    | { readonly kind: 'histogram'; readonly read: Read<Histogram> }
  );

/** Every metric of a loop, by its name. */
export const metricTable: Readonly<Record<string, Metric>> = {
  iterations: counter('Iterations that finished and count.', ({ loop }) => loop.totals.stats.iterations),
  iterations_success: counter('Iterations that neither failed nor were skipped.', ({ loop }) => {
    const { iterations, failedIterations, skippedIterations } = loop.totals.stats;
    return iterations - failedIterations - skippedIterations;
  }),
  iterations_failed: counter('Iterations that failed or timed out.', ({ loop }) => loop.totals.stats.failedIterations),
  iterations_with_progress: counter(
    'Iterations that made progress.',
    ({ loop }) => loop.totals.stats.successfulIterations,
  ),
  reboots: counter('New agent sessions that took over from the one before.', ({ loop }) => loop.totals.stats.reboots),
  sessions_created: counter('Agent sessions that ralphd started.', ({ journal }) => journal.sessions),
  files_changed: counter('Changed files, summed over the iterations.', ({ loop }) => filesChanged(loop)),
  running_seconds: counter('Time in which the loop ran.', ({ loop }) => loop.totals.runningMs / 1_000, 'seconds'),
  runs: counter('Agent runs, including those that cost no iteration.', ({ loop }) => loop.totals.spent.runs),
  ...usageMetrics(),
  tests_total: gauge('Tests in their newest run.', ({ loop }) => loop.tests.latest?.total),
  tests_passing: gauge('Tests that passed in their newest run.', ({ loop }) => loop.tests.latest?.passed),
  tests_failing: gauge('Tests that failed in their newest run.', ({ loop }) => loop.tests.latest?.failed),
  test_pass_rate: gauge('Share of the tests that passed, from 0 to 1.', ({ loop }) => {
    const { latest } = loop.tests;
    return latest === undefined || latest.total === 0 ? undefined : testSuccessRate(latest) / 100;
  }),
  progress_score: gauge('Progress of the newest iteration for which it is known, from 0 to 1.', ({ loop }) =>
    loop.progress.recentScores.at(-1),
  ),
  iteration_duration_seconds: {
    kind: 'histogram',
    help: 'How long the iterations took.',
    unit: 'seconds',
    read: ({ journal }) => journal.durations,
  },
  context_at_reboot_percent: {
    kind: 'histogram',
    help: 'How full the context window was at each reboot, if the agent reports that.',
    unit: 'percent',
    read: ({ journal }) => (countOf(journal.contexts) === 0 ? undefined : journal.contexts),
  },
};

/** Totals that agents report: missing if no run did. If only some did, the number of the others is there too. */
function usageMetrics(): Readonly<Record<string, Metric>> {
  const rows = limits.flatMap((limit) => {
    if (limit.reported === undefined) return [];
    const { total, unreported } = limit.reported;
    const what = limit.unit === 'money' ? `${limit.many} in USD` : limit.many;
    const name = snakeCase(total);
    const known: Read<number> = ({ loop: { totals } }) => {
      const { runs, [total]: used, [unreported]: silent } = totals.spent;
      return runs > 0 && silent === runs ? undefined : used;
    };
    return [
      [name, counter(`Total ${what}, as far as agents reported it.`, known)] as const,
      [
        `${name}_unreported_runs`,
        counter(`Agent runs whose ${what} is unknown.`, ({ loop }) => loop.totals.spent[unreported]),
      ] as const,
    ];
  });
  return Object.fromEntries(rows);
}

/** How many loops have values of their own; those that started earlier are added up. */
const maxLoops = 100;
const olderLoops = 'older';
const maxLabelLength = 200;

/** The metrics of loops, whichever format they are printed in. */
export function metricsOf(measured: readonly MeasuredLoop[]): readonly MetricFamily[] {
  const newestFirst = measured.toSorted((one, other) => startOf(other) - startOf(one));
  const loops = { shown: newestFirst.slice(0, maxLoops), older: newestFirst.slice(maxLoops) };
  const families = Object.entries(metricTable).map(([name, metric]) => familyOf(name, metric, loops));
  return [infoOf(loops.shown), ...families].filter(({ samples }) => samples.length > 0);
}

interface Loops {
  readonly shown: readonly MeasuredLoop[];
  readonly older: readonly MeasuredLoop[];
}

function familyOf(name: string, metric: Metric, loops: Loops): MetricFamily {
  if (metric.kind === 'histogram') {
    const { read, ...details } = metric;
    return { name, ...details, samples: samplesOf(read, loops, addHistograms) };
  }
  const { read, ...details } = metric;
  // The newest values of many loops mean nothing together; only what is counted can be added up.
  const summed = details.kind === 'counter' ? loops : { ...loops, older: [] };
  return { name, ...details, samples: samplesOf(read, summed, (one, other) => one + other) };
}

function samplesOf<Value>(
  read: Read<Value>,
  { shown, older }: Loops,
  add: (one: Value, other: Value) => Value,
): readonly Sample<Value>[] {
  const known = (measured: MeasuredLoop): readonly Value[] => {
    const value = read(measured);
    return value === undefined ? [] : [value];
  };
  const [first, ...rest] = older.flatMap(known);
  const sum = first === undefined ? [] : [{ labels: { loop_id: olderLoops }, value: rest.reduce(add, first) }];
  return [...shown.flatMap((each) => known(each).map((value) => ({ labels: labelsOf(each), value }))), ...sum];
}

/** What may change while a loop runs is no label of its counters: that would split them. */
function infoOf(shown: readonly MeasuredLoop[]): MetricFamily {
  return {
    name: 'info',
    kind: 'gauge',
    help: 'Always 1; the labels describe the loop.',
    samples: shown.map((measured) => ({ labels: { ...labelsOf(measured), ...descriptionOf(measured) }, value: 1 })),
  };
}

function descriptionOf({
  loop: { origin },
  shownStatus,
  journal,
  isEncrypted,
}: MeasuredLoop): Readonly<Record<string, string>> {
  return {
    ...(isEncrypted ? {} : { project: labelText(origin.workingDirectory) }),
    agent: labelText(origin.agent),
    ...(journal.model === undefined ? {} : { model: labelText(journal.model) }),
    status: shownStatus,
  };
}

function labelsOf({ loop }: MeasuredLoop): Readonly<Record<string, string>> {
  return { loop_id: loop.id };
}

/** Agents name their models themselves: the text is bounded, and nothing in it reaches a terminal as a command. */
export function labelText(text: string): string {
  return headText(scrub(text).toWellFormed(), maxLabelLength);
}

function startOf({ loop: { origin } }: MeasuredLoop): number {
  return Date.parse(origin.startedAt ?? '') || 0;
}

function counter(help: string, read: Read<number>, unit?: string): Metric {
  return { kind: 'counter', help, read, ...(unit === undefined ? {} : { unit }) };
}

function gauge(help: string, read: Read<number>): Metric {
  return { kind: 'gauge', help, read };
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

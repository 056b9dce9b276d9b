import { type LoopStatistics, readLoopStatistics, readStatistics, type StatisticsReport } from '../../app/index.ts';
import { failures, LoopError, parseDuration, scrub } from '../../base/index.ts';
import {
  expositionText,
  type MeasuredLoop,
  metricObjects,
  metricsOf,
  type Statistics,
  statsdText,
} from '../../core/index.ts';
import {
  analyticsAsCsv,
  analyticsAsMarkdown,
  loopsAsCsv,
  loopsAsMarkdown,
  summariseLoops,
} from '../../formats/index.ts';
import { oneOfOptions } from '../one-of-options.ts';
import { iterationRows } from '../output/iteration-rows.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import type { Canvas } from '../output/rule-lines.ts';
import { statisticsLines } from '../output/statistics-lines.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';
import { spentObject } from '../words/spent.ts';

const tables = ['json', 'csv', 'markdown'] as const;
const metricForms = ['prometheus', 'openmetrics', 'statsd'] as const;
type Form = (typeof tables)[number] | (typeof metricForms)[number];

/** `ralphd stats`: totals and averages over the loops of this project, or of one loop with its iterations. */
export async function statsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, stderr } = surroundings;
  const [query] = args;
  const printing: Printing = {
    form: oneOfOptions(options, [...tables, ...metricForms]),
    isBrief: options['brief'] === true,
    canvas: { paint: paintFor(stdout), width: widthOf(stdout) },
  };
  const sinceMs = sinceIn(options['since']);
  if (query !== undefined && sinceMs !== undefined) throw new LoopError(failures.conflictingOptions('ID', '--since'));
  const place = await placeFor(invocation, surroundings);
  if (query !== undefined) {
    stdout.write(loopText(readLoopStatistics(place, query), printing));
    return 0;
  }
  return printAll(readStatistics(place, sinceMs), printing, { stdout, stderr });
}

interface Printing {
  readonly form: Form | undefined;
  /** Without the iterations. */
  readonly isBrief: boolean;
  readonly canvas: Canvas;
}

/** An instant, or a duration before now. */
function sinceIn(given: Invocation['options'][string] | undefined): number | undefined {
  if (given === undefined) return undefined;
  const text = String(given);
  const agoMs = parseDuration(text);
  const instantMs = agoMs === undefined ? Date.parse(text) : Date.now() - agoMs;
  if (!Number.isNaN(instantMs)) return instantMs;
  throw new LoopError(failures.badValue('--since', 'a date such as 2026-11-01 or a time such as 7d', `"${text}"`));
}

function printAll(
  found: StatisticsReport,
  printing: Printing,
  { stdout, stderr }: Pick<Surroundings, 'stdout' | 'stderr'>,
): number {
  const { form } = printing;
  const { unreadable } = found;
  const isEmpty = found.statistics.loops.total === 0 && unreadable.length === 0;
  if (form === undefined && isEmpty) stderr.write('No loops here. Start one: ralphd run "TASK" --verify CMD\n');
  else stdout.write(allText(found, printing));
  for (const { loopId, error } of form === 'json' ? [] : unreadable) {
    stderr.write(scrub(`${loopId} is left out: ${error.failure.message}\n`));
  }
  return 0;
}

function allText(found: StatisticsReport, printing: Printing): string {
  const { statistics, numbers, measured, analytics, unreadable } = found;
  const { total } = statistics.loops;
  switch (printing.form) {
    case 'csv':
      return loopsAsCsv(analytics);
    case 'markdown':
      return loopsAsMarkdown(analytics);
    case 'json': {
      const broken = unreadable.map(({ loopId, error }) => ({ loopId, error: error.failure.code }));
      const summary = summariseLoops(analytics);
      return jsonLine({
        ...statisticsObject(statistics),
        numbers,
        summary,
        ...metricsObject(measured),
        unreadable: broken,
      });
    }
    case undefined:
      return lines(statisticsLines(`${total} ${total === 1 ? 'loop' : 'loops'}`, found, printing.canvas));
    default:
      return metricsText(printing.form, measured);
  }
}

function loopText(found: LoopStatistics, printing: Printing): string {
  const { view, statistics, numbers, iterations, measured, analytics } = found;
  const { form, isBrief, canvas } = printing;
  const loopId = view.loop.id;
  switch (form) {
    case 'csv':
      return analyticsAsCsv(analytics);
    case 'markdown':
      return analyticsAsMarkdown(isBrief ? { ...analytics, iterations: [] } : analytics);
    case 'json': {
      const rows = isBrief ? {} : { newestIterations: iterations, analytics };
      return jsonLine({ loopId, ...statisticsObject(statistics), numbers, ...rows, ...metricsObject([measured]) });
    }
    case undefined:
      return lines([...statisticsLines(loopId, found, canvas), ...(isBrief ? [] : iterationRows(iterations, canvas))]);
    default:
      return metricsText(form, [measured]);
  }
}

function metricsText(form: (typeof metricForms)[number], measured: readonly MeasuredLoop[]): string {
  const families = metricsOf(measured);
  return form === 'statsd' ? statsdText(families) : expositionText(families, form);
}

function metricsObject(measured: readonly MeasuredLoop[]): Record<string, unknown> {
  return { metrics: metricObjects(metricsOf(measured)) };
}

function statisticsObject({ spent, ...statistics }: Statistics): Record<string, unknown> {
  return { ...statistics, spent: spentObject(spent) };
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

import { countOf, cumulative, type Histogram } from './histogram.ts';
import { type MetricFamily, metricPrefix, type Sample } from './metrics.ts';

/** The text formats: version 0.0.4 of Prometheus, and OpenMetrics 1.0. */
export type ExpositionFormat = 'prometheus' | 'openmetrics';

/** Metrics as text for Prometheus, and for whatever else reads its formats. */
export function expositionText(
  families: readonly MetricFamily[],
  format: ExpositionFormat,
  prefix = metricPrefix,
): string {
  const lines = families.flatMap((family) => [...headOf(family, format, prefix), ...sampleLines(family, prefix)]);
  return [...lines, ...(format === 'openmetrics' ? ['# EOF'] : [])].map((line) => `${line}\n`).join('');
}

/** Metrics as data, under the names that they have as text. */
export function metricObjects(families: readonly MetricFamily[]): readonly Record<string, unknown>[] {
  return families.map((family) => {
    const { kind, help, unit } = family;
    return {
      name: sampleName(family, metricPrefix),
      type: kind,
      help,
      ...(unit === undefined ? {} : { unit }),
      samples: family.kind === 'histogram' ? family.samples.map(histogramObject) : family.samples,
    };
  });
}

/**
 * Metrics as lines for StatsD, with the loop in the name. Each is a gauge: StatsD adds up what it gets for a counter, so
 * that a total sent twice would count twice.
 */
export function statsdText(families: readonly MetricFamily[]): string {
  const lines = families.flatMap((family) => {
    const placeOf = ({ labels }: Sample<unknown>, name: string) => `${metricPrefix}.${labels['loop_id']}.${name}`;
    if (family.name === 'info') return [];
    if (family.kind !== 'histogram') {
      const name = family.kind === 'counter' ? `${family.name}_total` : family.name;
      return family.samples.map((sample) => `${placeOf(sample, name)}:${sample.value}|g`);
    }
    return family.samples.flatMap((sample) => [
      `${placeOf(sample, family.name)}_sum:${sample.value.sum}|g`,
      `${placeOf(sample, family.name)}_count:${countOf(sample.value)}|g`,
    ]);
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** OpenMetrics describes a counter under its name without the ending, and has units. */
function headOf(family: MetricFamily, format: ExpositionFormat, prefix: string): readonly string[] {
  const { kind, help, unit } = family;
  const name = format === 'openmetrics' ? `${prefix}_${family.name}` : sampleName(family, prefix);
  return [
    `# HELP ${name} ${escaped(help)}`,
    `# TYPE ${name} ${kind}`,
    ...(format === 'openmetrics' && unit !== undefined ? [`# UNIT ${name} ${unit}`] : []),
  ];
}

function sampleName({ name, kind }: Pick<MetricFamily, 'name' | 'kind'>, prefix: string): string {
  return `${prefix}_${name}${kind === 'counter' ? '_total' : ''}`;
}

function sampleLines(family: MetricFamily, prefix: string): readonly string[] {
  const name = sampleName(family, prefix);
  if (family.kind === 'histogram') return family.samples.flatMap((sample) => histogramLines(name, sample));
  return family.samples.map(({ labels, value }) => lineOf(name, labels, value));
}

function histogramLines(name: string, { labels, value }: Sample<Histogram>): readonly string[] {
  const buckets = cumulative(value);
  return [
    ...buckets.map(({ bound, count }) => lineOf(`${name}_bucket`, { ...labels, le: boundText(bound) }, count)),
    lineOf(`${name}_sum`, labels, value.sum),
    lineOf(`${name}_count`, labels, countOf(value)),
  ];
}

function histogramObject({ labels, value }: Sample<Histogram>): Record<string, unknown> {
  const buckets = cumulative(value).map(({ bound, count }) => ({ le: boundText(bound), count }));
  return { labels, count: countOf(value), sum: value.sum, buckets };
}

function lineOf(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`);
  return `${name}{${pairs.join(',')}} ${value}`;
}

/** Bounds are floating-point numbers in both formats, so that a whole one has a decimal point. */
function boundText(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return '+Inf';
  return Number.isInteger(bound) ? bound.toFixed(1) : String(bound);
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

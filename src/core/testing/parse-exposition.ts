/** One line with a value. */
export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A text of metrics, read. */
export interface Exposition {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly ParsedSample[];
}

const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

const sampleLine = /^([a-z_:][\w:]*)\{(.*)\} (\S+)$/su;
const number = /^(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|\+Inf)$/u;

/**
 * Reads metrics as strictly as the formats are written down: every sample after the description of its family, names and
 * escapes as allowed, no family and no series twice, histograms cumulative and with the right count.
 */
export function parseExposition(text: string, format: 'prometheus' | 'openmetrics'): Exposition {
  const lines = text.split('\n');
  assert(lines.pop() === '', 'the text ends with a line feed');
  if (format === 'openmetrics') assert(lines.pop() === '# EOF', 'OpenMetrics ends with # EOF');
  const types = new Map<string, string>();
  const samples: ParsedSample[] = [];
  const seen = new Set<string>();
  let family = '';
  for (const line of lines) {
    if (line.startsWith('#')) {
      const [, keyword = '', name = '', rest = ''] = /^# (HELP|TYPE|UNIT) (\S+) (.+)$/u.exec(line) ?? [];
      assert(keyword !== '', `a comment with a meaning: ${line}`);
      if (keyword === 'HELP') assert(!seen.has(name), `one family ${name}`);
      else assert(name === family, `${keyword} below its HELP: ${line}`);
      if (keyword === 'HELP') assert(!/\\[^\\n]/u.test(rest), `escapes: ${line}`);
      if (keyword === 'UNIT') assert(format === 'openmetrics' && name.endsWith(`_${rest}`), `unit: ${line}`);
      if (keyword === 'TYPE') {
        assert(rest in suffixes, `type: ${line}`);
        types.set(name, rest);
      }
      family = name;
      seen.add(name);
      continue;
    }
    const sample = parseSample(line);
    const series = JSON.stringify([sample.name, Object.entries(sample.labels)]);
    assert(!seen.has(series), `one series ${series}`);
    seen.add(series);
    const allowed = suffixes[types.get(family) ?? ''] ?? [];
    const base = format === 'prometheus' && types.get(family) === 'counter' ? family.replace(/_total$/u, '') : family;
    assert(
      allowed.some((suffix) => sample.name === base + suffix),
      `${sample.name} belongs to ${family}`,
    );
    samples.push(sample);
  }
  for (const [name, type] of types) if (type === 'histogram') assertHistograms(name, samples);
  return { types, samples };
}

function parseSample(line: string): ParsedSample {
  const [, name = '', pairs = '', value = ''] = sampleLine.exec(line) ?? [];
  assert(name !== '' && number.test(value), `a sample: ${line}`);
  const labels: Record<string, string> = {};
  let rest = pairs;
  while (rest !== '') {
    const [whole = '', label = '', quoted = ''] =
      /^([a-z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?!$)|$)/u.exec(rest) ?? [];
    assert(whole !== '' && !(label in labels), `labels: ${line}`);
    labels[label] = quoted.replaceAll(/\\(.)/gu, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
    assert(labels[label].isWellFormed(), `Unicode: ${line}`);
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) };
}

function assertHistograms(name: string, samples: readonly ParsedSample[]): void {
  const seriesOf = ({ labels: { le: _, ...labels } }: ParsedSample) => JSON.stringify(labels);
  const own = samples.filter((each) => [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(each.name));
  for (const series of Map.groupBy(own, seriesOf).values()) assertHistogram(name, series);
}

function assertHistogram(name: string, own: readonly ParsedSample[]): void {
  const buckets = own.filter((each) => each.name === `${name}_bucket`);
  const bounds = buckets.map(({ labels: { le } }) => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)));
  assert(bounds.at(-1) === Number.POSITIVE_INFINITY, `${name} has an unbounded bucket`);
  assert(
    bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? 0)),
    `${name} ascends`,
  );
  assert(
    buckets.every(({ value }, index) => index === 0 || value >= (buckets[index - 1]?.value ?? 0)),
    `${name} adds up`,
  );
  assert(
    own.some((each) => each.name === `${name}_sum`),
    `${name} has a sum`,
  );
  assert(own.find((each) => each.name === `${name}_count`)?.value === buckets.at(-1)?.value, `${name} counts all`);
}

function assert(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Not so: ${what}`);
}

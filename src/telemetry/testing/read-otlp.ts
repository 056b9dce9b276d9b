/** A span as a collector reads it. */
export interface ReadSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Values;
  readonly status?: { readonly code: number; readonly message: string };
  readonly resource: Values;
}

/** A value of a histogram as a collector reads it. */
export interface ReadPoint {
  /** Its metric, its attributes and its resource. */
  readonly series: string;
  readonly metric: string;
  readonly attributes: Values;
  readonly resource: Values;
  readonly count: number;
  readonly sum: number;
}

type Values = Readonly<Record<string, string | number | boolean>>;
type Fields = Readonly<Record<string, unknown>>;

/** Reads a request with traces as strictly as OTLP as JSON is written down; no field that it does not know. */
export function readTraceRequest(text: string): readonly ReadSpan[] {
  const request = fieldsOf(JSON.parse(text), ['resourceSpans']);
  return listOf(request['resourceSpans']).flatMap((each) => {
    const { resource, scopeSpans } = fieldsOf(each, ['resource', 'scopeSpans']);
    const own = resourceIn(resource);
    return listOf(scopeSpans).flatMap((scoped) => {
      const { scope, spans } = fieldsOf(scoped, ['scope', 'spans']);
      assert(textOf(fieldsOf(scope, ['name'])['name']) !== '', 'a scope has a name');
      return listOf(spans).map((span) => ({ ...readSpan(span), resource: own }));
    });
  });
}

/** Reads a request with metrics, all of which are histograms with totals since a start. */
export function readMetricRequest(text: string): readonly ReadPoint[] {
  const request = fieldsOf(JSON.parse(text), ['resourceMetrics']);
  return listOf(request['resourceMetrics']).flatMap((each) => {
    const { resource, scopeMetrics } = fieldsOf(each, ['resource', 'scopeMetrics']);
    const own = resourceIn(resource);
    return listOf(scopeMetrics).flatMap((scoped) =>
      listOf(fieldsOf(scoped, ['scope', 'metrics'])['metrics']).flatMap((metric) => {
        const { name, histogram, unit } = fieldsOf(metric, ['name', 'unit', 'description', 'histogram']);
        assert(textOf(unit) !== '', 'a unit');
        const { aggregationTemporality, dataPoints } = fieldsOf(histogram, ['aggregationTemporality', 'dataPoints']);
        assert(aggregationTemporality === 2, 'totals');
        return listOf(dataPoints).map((point) => readPoint(point, { metric: textOf(name), resource: own }));
      }),
    );
  });
}

const spanFields = [
  'traceId',
  'spanId',
  'parentSpanId',
  'flags',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'status',
];

function readSpan(given: unknown): Omit<ReadSpan, 'resource'> {
  const span = fieldsOf(given, spanFields);
  const { kind, flags, parentSpanId } = span;
  assert(typeof kind === 'number' && kind >= 1 && kind <= 5, 'kind');
  assert(typeof flags === 'number' && Number.isInteger(flags) && flags >= 0, 'flags');
  const [startMs, endMs] = [nanosOf(span['startTimeUnixNano']), nanosOf(span['endTimeUnixNano'])];
  assert(startMs <= endMs, 'a span ends after it starts');
  const traceId = hexOf(span['traceId'], 32);
  return {
    traceId,
    spanId: hexOf(span['spanId'], 16),
    ...(parentSpanId === undefined ? {} : { parentSpanId: hexOf(parentSpanId, 16) }),
    flags,
    name: textOf(span['name']),
    kind,
    startMs,
    endMs,
    attributes: attributesIn(span['attributes']),
    ...statusIn(span['status']),
  };
}

function statusIn(given: unknown): Pick<ReadSpan, 'status'> {
  if (given === undefined) return {};
  const { code, message = '' } = fieldsOf(given, ['code', 'message']);
  assert(code === 0 || code === 1 || code === 2, 'status code');
  return { status: { code, message: textOf(message) } };
}

const pointFields = [
  'attributes',
  'startTimeUnixNano',
  'timeUnixNano',
  'count',
  'sum',
  'bucketCounts',
  'explicitBounds',
];

function readPoint(given: unknown, { metric, resource }: Pick<ReadPoint, 'metric' | 'resource'>): ReadPoint {
  const point = fieldsOf(given, pointFields);
  assert(nanosOf(point['startTimeUnixNano']) <= nanosOf(point['timeUnixNano']), 'times of a point');
  const attributes = attributesIn(point['attributes']);
  const counts = listOf(point['bucketCounts']).map(integerOf);
  const bounds = listOf(point['explicitBounds']);
  assert(counts.length === bounds.length + 1, 'one bucket more than bounds');
  assert(
    bounds.every((bound, index) => typeof bound === 'number' && (index === 0 || bound > Number(bounds[index - 1]))),
    'bounds ascend',
  );
  const count = integerOf(point['count']);
  assert(counts.reduce((total, each) => total + each, 0) === count, 'buckets add up');
  const { sum } = point;
  assert(typeof sum === 'number', 'a sum');
  return { series: JSON.stringify([metric, attributes, resource]), metric, attributes, resource, count, sum };
}

function resourceIn(given: unknown): Values {
  const attributes = attributesIn(fieldsOf(given, ['attributes'])['attributes']);
  assert('service.name' in attributes, 'a resource has a service');
  return attributes;
}

function attributesIn(given: unknown): Values {
  const pairs = listOf(given).map((each) => {
    const { key, value } = fieldsOf(each, ['key', 'value']);
    return [textOf(key), valueIn(value)] as const;
  });
  assert(new Set(pairs.map(([key]) => key)).size === pairs.length, 'each attribute once');
  return Object.fromEntries(pairs);
}

function valueIn(given: unknown): string | number | boolean {
  const { stringValue, intValue, doubleValue, boolValue, ...others } = fieldsOf(given);
  const found = [stringValue, intValue, doubleValue, boolValue].filter((each) => each !== undefined);
  assert(found.length === 1 && Object.keys(others).length === 0, 'one value of a known type');
  if (intValue !== undefined) return integerOf(intValue);
  if (stringValue !== undefined) return textOf(stringValue);
  if (typeof boolValue === 'boolean') return boolValue;
  assert(typeof doubleValue === 'number', 'a number');
  return doubleValue;
}

/** Integers of 64 bits are texts in JSON. */
function integerOf(given: unknown): number {
  assert(typeof given === 'string' && /^-?\d+$/.test(given), `an integer as a text: ${String(given)}`);
  return Number(given);
}

function nanosOf(given: unknown): number {
  assert(
    typeof given === 'string' && /^[1-9]\d{18}$/.test(given),
    `nanoseconds since 1970 as a text: ${String(given)}`,
  );
  return Number(BigInt(given) / 1_000_000n);
}

function hexOf(given: unknown, digits: number): string {
  const isHex = typeof given === 'string' && given.length === digits && /^[0-9a-f]+$/.test(given);
  assert(isHex && !/^0+$/.test(given), `${digits} hexadecimal digits: ${String(given)}`);
  return given;
}

function textOf(given: unknown): string {
  assert(typeof given === 'string' && given.isWellFormed(), 'a text');
  return given;
}

function listOf(given: unknown): readonly unknown[] {
  assert(Array.isArray(given), 'a list');
  return given;
}

function fieldsOf(given: unknown, names?: readonly string[]): Fields {
  assert(typeof given === 'object' && given !== null && !Array.isArray(given), 'an object');
  const fields = { ...given } as Fields;
  const unknown = Object.keys(fields).filter((name) => names !== undefined && !names.includes(name));
  assert(unknown.length === 0, `no field ${unknown.join(', ')}`);
  return fields;
}

function assert(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`Not so: ${what}`);
}

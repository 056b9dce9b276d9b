import { boundText, scrub } from '../base/index.ts';
import { countOf } from '../core/index.ts';
import { names } from './conventions.ts';
import type { RunMetrics, Series } from './run-metrics.ts';
import type { Attributes, AttributeValue, Span } from './span.ts';
import { parentIdOf, type SpanIds } from './span-ids.ts';

// OTLP 1.x as JSON: ids are hexadecimal, integers of 64 bits are texts, and enumerations are numbers.

const kinds = { internal: 1, client: 3 } as const;
const failed = 2;
const cumulative = 2;
const sampledFlag = 0x1;
/** Whether the parent is known to be of another process, and that it is. */
const localParent = 0x100;
const remoteParent = 0x300;
const maxMessageLength = 1_000;

/** Spans as the body of a request. */
export function traceRequest(spans: readonly Span[], ids: SpanIds, resource: Attributes): object {
  const scopeSpans = [{ scope: { name: names.scope }, spans: spans.map((span) => spanOf(span, ids)) }];
  return { resourceSpans: [{ resource: resourceOf(resource), scopeSpans }] };
}

/** Metrics as the body of a request; undefined if there are none yet. */
export function metricRequest(metrics: RunMetrics, resource: Attributes): object | undefined {
  const { startMs, untilMs, series } = metrics;
  if (startMs === undefined || untilMs === undefined || series.size === 0) return undefined;
  const span = { startTimeUnixNano: nanos(startMs), timeUnixNano: nanos(Math.max(startMs, untilMs)) };
  const all = [...series.values()];
  const metric = (name: Series['metric'], unit: string, description: string) => ({
    name,
    unit,
    description,
    histogram: {
      aggregationTemporality: cumulative,
      dataPoints: all.filter((each) => each.metric === name).map((each) => ({ ...span, ...dataPointOf(each) })),
    },
  });
  const found = [
    metric(names.tokenUsage, '{token}', 'Tokens that runs of the agent used, as it reported them.'),
    metric(names.operationDuration, 's', 'How long runs of the agent took.'),
  ].filter(({ histogram }) => histogram.dataPoints.length > 0);
  return {
    resourceMetrics: [
      { resource: resourceOf(resource), scopeMetrics: [{ scope: { name: names.scope }, metrics: found }] },
    ],
  };
}

function spanOf(span: Span, ids: SpanIds): object {
  const parentSpanId = parentIdOf(ids, span.parent);
  const isOuter = span.parent === undefined && parentSpanId !== undefined;
  return {
    traceId: ids.traceId,
    spanId: ids.spanId(span.key),
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    flags: sampledFlag | (isOuter ? remoteParent : localParent),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(span.endMs),
    attributes: attributesOf(span.attributes),
    ...(span.failure === undefined ? {} : { status: statusOf(span.failure) }),
  };
}

function statusOf(failure: string): object {
  return { code: failed, ...(failure === '' ? {} : { message: textOf(failure) }) };
}

function dataPointOf({ attributes, histogram }: Series): object {
  return {
    attributes: attributesOf(attributes),
    count: String(countOf(histogram)),
    sum: histogram.sum,
    bucketCounts: histogram.counts.map(String),
    explicitBounds: histogram.bounds,
  };
}

function resourceOf(attributes: Attributes): object {
  return { attributes: attributesOf(attributes) };
}

function attributesOf(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: textOf(value) };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Agents choose many of these texts: they are bounded, and one of them cannot make a request invalid. */
function textOf(text: string): string {
  return boundText(scrub(text).toWellFormed(), maxMessageLength);
}

/** As a text: it is larger than the integers that every reader of JSON keeps. */
function nanos(ms: number): string {
  return String(BigInt(Math.max(0, Math.round(ms))) * 1_000_000n);
}

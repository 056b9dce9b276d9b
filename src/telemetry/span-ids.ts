import { sha256 } from '../base/index.ts';
import { parseTraceparent, type TraceContext } from '../protocol/index.ts';
import type { TracedLoop } from './span.ts';

/**
 * The ids of a loop's trace and of its spans. They follow from the loop alone, so that whatever is sent again, by whichever
 * process, is recognised as the same.
 */
export interface SpanIds {
  readonly traceId: string;
  /** The span outside of which the loop was started. */
  readonly outer?: TraceContext;
  spanId(key: string): string;
}

/** The ids of a loop. */
export function spanIdsOf({ uuid, traceparent }: Pick<TracedLoop, 'uuid' | 'traceparent'>): SpanIds {
  const outer = parseTraceparent(traceparent ?? '');
  return {
    traceId: outer?.traceId ?? sha256(`ralphd trace ${uuid}`).slice(0, 32),
    ...(outer === undefined ? {} : { outer }),
    spanId: (key) => sha256(`ralphd span ${uuid} ${key}`).slice(0, 16),
  };
}

/** The id of the span that another belongs to; undefined for the loop of a trace of its own. */
export function parentIdOf(ids: SpanIds, parent: string | undefined): string | undefined {
  return parent === undefined ? ids.outer?.spanId : ids.spanId(parent);
}

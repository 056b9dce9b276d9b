/** A place in a trace, as the W3C writes it down in `traceparent`. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a `traceparent`; undefined if it is none. A later version may have more parts. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, version = 'ff', traceId = '', spanId = '', flags = '', more] = pattern.exec(text.trim()) ?? [];
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: Number.parseInt(flags, 16) % 2 === 1 };
}

/** Writes a place in a trace as a `traceparent`. */
export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** What a loop starts, as far as traces tell it apart. */
export type TracedStep = 'agent' | 'gate' | 'iteration';

/** The variables that place what a loop starts in its trace; outside of an attempt in the loop itself. */
export type TraceVariables = (step: TracedStep, of?: TracedAttempt) => Readonly<Record<string, string>>;

/** The attempt that a step belongs to; without numbers it belongs to none. */
export interface TracedAttempt {
  readonly iteration?: number | undefined;
  readonly attempt?: number | undefined;
}

/** The value of an attribute. */
export type AttributeValue = string | number | boolean;
/** Attributes by their names. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** A step of a loop that is over. */
export interface Span {
  readonly name: string;
  /** Identifies it within its loop. */
  readonly key: string;
  /** Missing for the loop itself. */
  readonly parent?: string;
  readonly kind: 'internal' | 'client';
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Why it failed. */
  readonly failure?: string;
  /** The fact that it ended with. */
  readonly at: Instant;
}

/** A place in a journal. A fact that a restore superseded has an older epoch than the one in its place. */
export interface Instant {
  readonly epoch: number;
  readonly seq: number;
}

/** A loop, as far as its spans are about it. */
export interface TracedLoop {
  readonly id: string;
  readonly uuid: string;
  readonly agent: string;
  readonly startMs: number;
  /** The trace in which it was started. */
  readonly traceparent?: string;
  readonly resumedFrom?: string;
}

/** What a loop came to, as far as its span tells it. */
export interface LoopSums {
  readonly iterations: number;
  readonly runs: number;
  /** The model that the agent named last. */
  readonly model?: string;
  /** Missing as long as no run reported any. */
  readonly costUsd?: number;
}

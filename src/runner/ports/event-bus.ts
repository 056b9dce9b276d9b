import type { RecordedFact } from '../../protocol/index.ts';

/** The facts of a loop, from any process. */
export interface EventBus {
  /**
   * The facts after a number, each once and in order, and then those that are recorded from now on: over new segments,
   * new owners and times without one. Ends after the fact that ends the loop, or when the signal aborts. Facts that a
   * restore took back do not come again; those recorded in their place do, with a newer epoch.
   */
  follow(loopId: string, options?: FollowOptions): AsyncIterable<RecordedFact>;
}

/** Where to begin, and when to stop. */
export interface FollowOptions {
  /** The last number that is already known; 0 when left out. */
  readonly afterSeq?: number;
  readonly signal?: AbortSignal;
}

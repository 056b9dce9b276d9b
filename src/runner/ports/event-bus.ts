import type { RecordedFact } from '../../protocol/index.ts';

/** The facts of a loop, from any process. */
export interface EventBus {
  /**
   * The facts after a number, each once and in order, followed by new ones as they are recorded: across new segments,
   * new owners and periods without one. Ends after the fact that ends the loop, or when the signal aborts. Facts that a
   * restore superseded are not repeated; those recorded in their place are delivered with a newer epoch. A reader in another
   * process may be faster than the disk: facts whose sync fails are recorded again under later numbers. A reader that keeps
   * following does not get them twice; a reader that returns with the number of one of them, and has none after it,
   * gets the ones that now have later numbers again: the last one, once for each failed sync. This cannot be avoided,
   * because for a reader that saw only what was recorded in the end, the same number is that of an earlier fact.
   */
  follow(loopId: string, options?: FollowOptions): AsyncIterable<RecordedFact>;
}

/** Where to begin, and when to stop. */
export interface FollowOptions {
  /** The number of the last known fact; default: 0. */
  readonly afterSeq?: number;
  readonly signal?: AbortSignal;
}

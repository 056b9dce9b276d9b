import type { RecordedFact } from '../../protocol/index.ts';

/** The facts of a loop, from any process. */
export interface EventBus {
  /**
   * The facts after a number, each once and in order, and then those that are recorded from now on: over new segments,
   * new owners and times without one. Ends after the fact that ends the loop, or when the signal aborts. Facts that a
   * restore took back do not come again; those recorded in their place do, with a newer epoch. A reader of another
   * process may be faster than the disk: facts whose sync fails are recorded again under later numbers. Whoever keeps
   * following does not get them twice; whoever comes back with the number of one of them, and has seen none after it,
   * gets those that now have later numbers again: the last one, for each time that the sync failed. That cannot be
   * avoided, since the same number is that of an earlier fact for a reader that saw only what was recorded in the end.
   */
  follow(loopId: string, options?: FollowOptions): AsyncIterable<RecordedFact>;
}

/** Where to begin, and when to stop. */
export interface FollowOptions {
  /** The last number that is already known; 0 when left out. */
  readonly afterSeq?: number;
  readonly signal?: AbortSignal;
}

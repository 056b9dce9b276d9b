import type { Pulse } from '../../protocol/index.ts';

/**
 * Takes what the loop of this process is doing right now; nothing when a step is over. It may drop what it is given,
 * and an error that it throws does not disturb the loop.
 */
export type PulseSink = (pulse: Pulse | undefined) => void;

/** What loops are doing right now, from any process. */
export interface PulseBus {
  /**
   * The newest pulse of a loop whenever it changes, and nothing when no step is under way or its owner is gone. Pulses
   * in between may be missing. Ends when the signal aborts or the loop is no longer there.
   */
  follow(loopId: string, options: { readonly signal: AbortSignal }): AsyncIterable<Pulse | undefined>;
}

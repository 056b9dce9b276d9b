import type { Pulse } from '../../protocol/index.ts';

/**
 * Receives what the loop of this process is doing right now; undefined when a step is over. It may drop pulses, and an
 * error that it throws does not disturb the loop.
 */
export type PulseSink = (pulse: Pulse | undefined) => void;

/** What loops are doing right now, from any process. */
export interface PulseBus {
  /**
   * The newest pulse of a loop whenever it changes, and undefined if no step is active or its owner is gone. Pulses
   * in between may be missing. Ends when the signal aborts or the loop no longer exists.
   */
  follow(loopId: string, options: { readonly signal: AbortSignal }): AsyncIterable<Pulse | undefined>;
}

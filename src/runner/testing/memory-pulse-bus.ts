import type { Pulse } from '../../protocol/index.ts';
import type { PulseBus } from '../ports/pulse-port.ts';
import { nextChange } from './memory-event-bus.ts';

/** Where the newest pulses are, and who wants to know when there are others. */
export interface MemoryPulseSource {
  readonly has: (loopId: string) => boolean;
  /** What the owner of a loop is doing right now. */
  readonly newestOf: (loopId: string) => Pulse | undefined;
  readonly watchers: Set<() => void>;
}

/** Follows the newest pulse: nothing is kept for a reader that is slow. */
export function createMemoryPulseBus({ has, newestOf, watchers }: MemoryPulseSource): PulseBus {
  return {
    async *follow(loopId, { signal }) {
      let last: Pulse | undefined;
      while (!signal.aborted && has(loopId)) {
        const pulse = newestOf(loopId);
        if (pulse === last) await nextChange(watchers, signal);
        else yield (last = pulse);
      }
    },
  };
}

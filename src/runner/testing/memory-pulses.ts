import type { Pulse } from '../../protocol/index.ts';
import type { PulseBus, PulseSink } from '../ports/pulse-port.ts';

/** Pulses in memory: all that were sent, and a bus for those who follow the newest. */
export interface MemoryPulses extends PulseBus {
  readonly sent: readonly (Pulse | undefined)[];
  readonly sink: PulseSink;
}

/** Nothing has been sent yet. */
export function createMemoryPulses(): MemoryPulses {
  const sent: (Pulse | undefined)[] = [];
  const watchers = new Set<() => void>();
  return {
    sent,
    sink(pulse) {
      sent.push(pulse);
      for (const wake of watchers) wake();
    },
    async *follow(loopId, { signal }) {
      const newest = () => (sent.at(-1)?.loopId === loopId ? sent.at(-1) : undefined);
      let last: Pulse | undefined;
      while (!signal.aborted) {
        const changed = Promise.withResolvers<void>();
        const wake = () => changed.resolve();
        watchers.add(wake);
        signal.addEventListener('abort', wake);
        const pulse = newest();
        if (pulse === last) await changed.promise;
        else yield (last = pulse);
        watchers.delete(wake);
        signal.removeEventListener('abort', wake);
      }
    },
  };
}

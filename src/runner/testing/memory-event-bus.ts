import type { RecordedFact } from '../../protocol/index.ts';
import type { EventBus } from '../ports/event-bus.ts';

/** Where facts are, and who wants to know when there are more. */
export interface MemoryEventSource {
  readonly factsOf: (loopId: string) => readonly RecordedFact[];
  readonly watchers: Set<() => void>;
}

/** Follows facts by their numbers: nothing is kept for a reader that is slow. */
export function createMemoryEventBus({ factsOf, watchers }: MemoryEventSource): EventBus {
  return {
    async *follow(loopId, { afterSeq = 0, signal } = {}) {
      for (let seq = afterSeq; !signal?.aborted; ) {
        const fact = factsOf(loopId)[seq];
        if (fact === undefined) {
          await nextChange(watchers, signal);
          continue;
        }
        yield fact;
        if (fact.type === 'loop.ended') return;
        seq = fact.seq;
      }
    },
  };
}

/** Waits until a watcher is woken, or the signal aborts. */
export function nextChange(watchers: Set<() => void>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      watchers.delete(wake);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    watchers.add(wake);
    signal?.addEventListener('abort', wake);
  });
}

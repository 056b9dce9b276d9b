import type { LoopEvent } from './to-events.ts';

/** How many events are kept in memory; a slower reader reads the journal. */
const maxEvents = 1_000;

/** Which events to read. */
export interface EventOptions {
  /** The number of the last known event; default: 0, for all events. */
  readonly afterSeq?: number;
  /** Stops reading. */
  readonly signal?: AbortSignal;
}

/** The events of one run, for any number of readers at any pace. */
export interface LoopEvents {
  add(event: LoopEvent): void;
  /** Ends every reader after the newest event. */
  end(): void;
  read(options?: EventOptions): AsyncIterableIterator<LoopEvent>;
}

/** The events after a number; `readJournal` returns those that are no longer in memory. */
export function createLoopEvents(
  startSeq: number,
  readJournal: (options: EventOptions) => AsyncIterable<LoopEvent>,
): LoopEvents {
  const recent: LoopEvent[] = [];
  let recentAfter = startSeq;
  let isOver = false;
  let news = Promise.withResolvers<void>();
  const announce = () => {
    news.resolve();
    news = Promise.withResolvers<void>();
  };

  /** Yields the events that are no longer in memory; returns the number of the last one. */
  async function* readOlder(options: EventOptions): AsyncGenerator<LoopEvent, number> {
    for await (const fact of readJournal(options)) {
      if (fact.seq > recentAfter) return recentAfter;
      yield fact;
    }
    return recentAfter;
  }

  async function* readOn(afterSeq: number, signal: AbortSignal | undefined) {
    let seq = afterSeq;
    while (signal?.aborted !== true) {
      if (seq < recentAfter) seq = yield* readOlder({ afterSeq: seq, ...(signal && { signal }) });
      const next = recent.find((fact) => fact.seq > seq);
      if (next !== undefined) {
        ({ seq } = next);
        yield next;
      } else if (isOver) return;
      else await news.promise;
    }
  }

  return {
    add(fact) {
      recent.push(fact);
      if (recent.length > maxEvents) recentAfter = recent.shift()?.seq ?? recentAfter;
      announce();
    },
    end() {
      isOver = true;
      announce();
    },
    async *read({ afterSeq = 0, signal } = {}) {
      signal?.addEventListener('abort', announce);
      try {
        yield* readOn(afterSeq, signal);
      } finally {
        signal?.removeEventListener('abort', announce);
      }
    },
  };
}

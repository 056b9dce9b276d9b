import type { RecordedFact } from '../../protocol/index.ts';

/** Facts that can be peeked at before they are taken, so that a reader can wait for something else meanwhile. */
export interface FactFeed {
  /** The next fact, without taking it; done after the last one. */
  peek(): Promise<IteratorResult<RecordedFact, unknown>>;
  /** Whether the next fact is available without waiting. */
  isReady(): boolean;
  /** Takes the fact that was peeked at. */
  take(): void;
}

/** Feeds facts one at a time, without reading ahead. */
export function createFactFeed(facts: AsyncIterator<RecordedFact, unknown>): FactFeed {
  let next: Promise<IteratorResult<RecordedFact, unknown>> | undefined;
  let isReady = false;
  const peek = () => {
    if (next !== undefined) return next;
    next = facts.next().then((result) => {
      isReady = true;
      return result;
    });
    // The next peek gets the error; until then nobody may be waiting to handle it.
    next.catch(() => {});
    return next;
  };
  return {
    peek,
    isReady: () => isReady,
    take() {
      next = undefined;
      isReady = false;
    },
  };
}

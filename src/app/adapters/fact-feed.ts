import type { RecordedFact } from '../../protocol/index.ts';

/** Facts that are looked at before they are taken, so that something else can be waited for at the same time. */
export interface FactFeed {
  /** The next fact, which stays; done when no more will come. */
  peek(): Promise<IteratorResult<RecordedFact, unknown>>;
  /** Whether the next fact is there without waiting. */
  isReady(): boolean;
  /** Goes on to the fact after the one that was looked at. */
  take(): void;
}

/** Feeds facts one at a time: nothing is read ahead. */
export function createFactFeed(facts: AsyncIterator<RecordedFact, unknown>): FactFeed {
  let next: Promise<IteratorResult<RecordedFact, unknown>> | undefined;
  let isReady = false;
  const peek = () => {
    if (next !== undefined) return next;
    next = facts.next().then((result) => {
      isReady = true;
      return result;
    });
    // Whoever looks again gets the error; until then nobody may be there to handle it.
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

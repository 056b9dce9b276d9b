import type { RecordedFact } from '../protocol/index.ts';

/** Called with each fact once it is durable. */
export type FactListener = (fact: RecordedFact) => void;

/** Passes facts to listeners. A listener that throws is reported and removed; it never disturbs the loop. */
export interface FactStream {
  publish(facts: readonly RecordedFact[]): void;
  subscribe(listener: FactListener): Disposable;
  /** The facts from now on, until `endIterations` is called. */
  iterate(): AsyncIterableIterator<RecordedFact>;
  /** Ends every active iteration after its remaining facts. */
  endIterations(): void;
}

/** A stream without listeners. */
export function createFactStream(onListenerError: (error: unknown) => void = () => {}): FactStream {
  const listeners = new Set<FactListener>();
  const queues = new Map<FactQueue, Disposable>();

  const subscribe = (listener: FactListener): Disposable => {
    listeners.add(listener);
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  };

  return {
    subscribe,
    publish(facts) {
      for (const fact of facts) {
        for (const listener of listeners) {
          try {
            listener(fact);
          } catch (error) {
            listeners.delete(listener);
            onListenerError(error);
          }
        }
      }
    },
    iterate() {
      const queue = createFactQueue();
      const subscription = subscribe(queue.push);
      queues.set(queue, subscription);
      return queue.drain(() => {
        queues.delete(queue);
        subscription[Symbol.dispose]();
      });
    },
    endIterations() {
      for (const [queue, subscription] of queues) {
        subscription[Symbol.dispose]();
        queue.end();
      }
      queues.clear();
    },
  };
}

interface FactQueue {
  readonly push: FactListener;
  readonly end: () => void;
  readonly drain: (release: () => void) => AsyncGenerator<RecordedFact, void>;
}

/** Facts queued for one reader. */
function createFactQueue(): FactQueue {
  const waiting: RecordedFact[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push: (fact) => {
      waiting.push(fact);
      wake();
    },
    end: () => {
      ended = true;
      wake();
    },
    async *drain(release) {
      try {
        for (;;) {
          const next = waiting.shift();
          if (next !== undefined) yield next;
          else if (ended) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        release();
      }
    },
  };
}

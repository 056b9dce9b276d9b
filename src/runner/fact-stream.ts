import type { RecordedFact } from '../protocol/index.ts';

/** Called with each fact once it is durable. */
export type FactListener<Event = RecordedFact> = (fact: Event) => void;

/** Passes facts to listeners. A listener that throws is reported and removed; it never disturbs the loop. */
export interface FactStream<Event = RecordedFact> {
  publish(facts: readonly Event[]): void;
  subscribe(listener: FactListener<Event>): Disposable;
  /** The facts from now on, until `endIterations` is called. */
  iterate(): AsyncIterableIterator<Event>;
  /** Ends every active iteration after its remaining facts. */
  endIterations(): void;
}

/** A stream without listeners. */
export function createFactStream<Event = RecordedFact>(
  onListenerError: (error: unknown) => void = () => {},
): FactStream<Event> {
  const listeners = new Set<FactListener<Event>>();
  const queues = new Map<FactQueue<Event>, Disposable>();

  const subscribe = (listener: FactListener<Event>): Disposable => {
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
      const queue = createFactQueue<Event>();
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

interface FactQueue<Event> {
  readonly push: FactListener<Event>;
  readonly end: () => void;
  readonly drain: (release: () => void) => AsyncGenerator<Event, void>;
}

/** Facts queued for one reader. */
function createFactQueue<Event>(): FactQueue<Event> {
  const waiting: Event[] = [];
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

import type { LoopEvent } from './events.ts';

/** How many events wait for a reader; beyond that the oldest are dropped. */
const capacity = 1_000;

/** The events of a loop from the moment of subscription, at the reader's pace. */
export interface EventReceiver extends AsyncIterableIterator<LoopEvent, undefined>, Disposable {
  /** The next event; undefined after the last one. */
  recv(): Promise<LoopEvent | undefined>;
  /** How many events were dropped because nobody read them; the loop's journal has them all. */
  readonly lagged: number;
}

/** Passes events to any number of receivers and listeners. */
export class LoopEventEmitter {
  readonly #listeners = new Set<(event: LoopEvent) => void>();
  readonly #receivers = new Set<Receiver>();

  /** A receiver for the events from now on. */
  subscribe(): EventReceiver {
    const receiver = new Receiver((each) => this.#receivers.delete(each));
    this.#receivers.add(receiver);
    return receiver;
  }

  /** Calls back with each event from now on; a listener that throws is removed. */
  listen(listener: (event: LoopEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Passes an event on. */
  emit(event: LoopEvent): void {
    for (const receiver of this.#receivers) receiver.push(event);
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        this.#listeners.delete(listener);
      }
    }
  }

  /** Ends every receiver after the events that it has not read yet. */
  end(): void {
    for (const receiver of this.#receivers) receiver.end();
    this.#receivers.clear();
  }
}

class Receiver implements EventReceiver {
  readonly #events: LoopEvent[] = [];
  readonly #onEnd: (receiver: Receiver) => void;
  #waiting: ((event: LoopEvent | undefined) => void)[] = [];
  #isOver = false;
  #lagged = 0;

  constructor(onEnd: (receiver: Receiver) => void) {
    this.#onEnd = onEnd;
  }

  get lagged(): number {
    return this.#lagged;
  }

  push(event: LoopEvent): void {
    const reader = this.#waiting.shift();
    if (reader !== undefined) {
      reader(event);
      return;
    }
    this.#events.push(event);
    if (this.#events.length <= capacity) return;
    this.#events.shift();
    this.#lagged += 1;
  }

  end(): void {
    this.#isOver = true;
    for (const reader of this.#waiting.splice(0)) reader(undefined);
  }

  async recv(): Promise<LoopEvent | undefined> {
    const event = this.#events.shift();
    if (event !== undefined || this.#isOver) return event;
    return await new Promise((resolve) => this.#waiting.push(resolve));
  }

  async next(): Promise<IteratorResult<LoopEvent, undefined>> {
    const value = await this.recv();
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  async return(): Promise<IteratorResult<LoopEvent, undefined>> {
    this[Symbol.dispose]();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    this.#events.length = 0;
    this.end();
    this.#onEnd(this);
  }
}

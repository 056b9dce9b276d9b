import {
  type ChannelRecord,
  type Cursor,
  dueAt,
  emptyOutbox,
  flush,
  isQuiet,
  limitsOf,
  type Message,
  type Notice,
  type Outbox,
  type OutboxLimits,
  offer,
  take,
  type Waiting,
  wantedAs,
} from '../core/index.ts';
import type { ChannelConfig } from '../protocol/index.ts';
import type { Delivery } from './delivery.ts';

/** The time as a channel needs it. */
export interface NotifyClock {
  nowMs(): number;
  waitUntil(instantMs: number, signal: AbortSignal): Promise<void>;
}

/** What a queue does with what it takes. */
export interface QueuePorts {
  readonly clock: NotifyClock;
  /** The machine's time zone. */
  readonly timeZone: string;
  compose(parts: readonly Waiting[], isSilent: boolean): Message;
  /** Delivers a message and never throws. */
  deliver(message: Message, signal: AbortSignal): Promise<Delivery>;
  /** Called once a message is settled, with how far the channel is. */
  settled(message: Message, result: Delivery | 'dropped', reached: Reached): void;
}

/** How far a channel is, and when it was used. */
export type Reached = Pick<ChannelRecord, 'cursor' | 'used'>;

/** Sends what one channel wants, one message at a time; what comes meanwhile is combined, so it cannot grow. */
export class ChannelQueue {
  readonly channel: ChannelConfig;
  readonly #ports: QueuePorts;
  readonly #limits: OutboxLimits;
  readonly #stop = new AbortController();
  readonly #handled: Set<number>;
  #seen: number;
  #outbox: Outbox = emptyOutbox;
  #sending: Promise<void> | undefined;
  #timer = new AbortController();

  constructor(channel: ChannelConfig, { cursor, used }: Reached, ports: QueuePorts) {
    this.channel = channel;
    this.#ports = ports;
    this.#limits = limitsOf(channel, ports.timeZone);
    this.#seen = cursor.seq;
    this.#handled = new Set(cursor.beyond);
    this.#outbox = { ...emptyOutbox, ...used };
  }

  /** Takes the notices of a fact, if they are wanted and not settled yet. */
  add(seq: number, notices: readonly Notice[]): void {
    if (seq <= this.#seen) return;
    this.#seen = seq;
    if (this.#handled.has(seq)) return;
    const nowMs = this.#ports.clock.nowMs();
    for (const notice of notices) {
      const trigger = wantedAs(this.channel, notice);
      if (trigger !== undefined)
        this.#outbox = offer(this.#outbox, { notice, trigger }, { limits: this.#limits, nowMs });
    }
    this.#next();
  }

  /** Sends everything that waits without further delay. */
  flush(): void {
    this.#outbox = flush(this.#outbox);
    this.#next();
  }

  /** Resolves when nothing is being sent and nothing is due. */
  async idle(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  /** Ends what is being sent; what still waits is left to the next process. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#timer.abort();
    await this.idle();
  }

  #next(): void {
    if (this.#sending !== undefined || this.#stop.signal.aborted) return;
    this.#timer.abort();
    const { clock } = this.#ports;
    const nowMs = clock.nowMs();
    const due = dueAt(this.#outbox, this.#limits, nowMs);
    if (due === undefined) return;
    if (due <= nowMs) this.#send(nowMs);
    else this.#sendAt(due);
  }

  #sendAt(dueMs: number): void {
    const timer = new AbortController();
    this.#timer = timer;
    if (!Number.isFinite(dueMs)) return;
    void this.#ports.clock.waitUntil(dueMs, timer.signal).then(() => {
      if (!timer.signal.aborted) this.#next();
    });
  }

  #send(nowMs: number): void {
    const { outbox, taken: parts } = take(this.#outbox, this.#limits, nowMs);
    this.#outbox = outbox;
    const isSilent = isQuiet(this.#limits, nowMs) && parts.every(({ notice }) => notice.priority !== 'critical');
    this.#sending = this.#finish(parts, this.#ports.compose(parts, isSilent));
  }

  async #finish(parts: readonly Waiting[], message: Message): Promise<void> {
    const { signal } = this.#stop;
    const stopped = Promise.withResolvers<'dropped'>();
    signal.addEventListener('abort', () => stopped.resolve('dropped'), { once: true });
    // A delivery that ignores its end is left behind.
    const result = await Promise.race([this.#ports.deliver(message, signal), stopped.promise]);
    for (const seq of parts.flatMap(({ seqs }) => seqs)) this.#handled.add(seq);
    this.#sending = undefined;
    const { takenMs, lastMs } = this.#outbox;
    this.#ports.settled(message, result, { cursor: this.#cursor(), used: { takenMs, lastMs } });
    this.#next();
  }

  #cursor(): Cursor {
    const open = this.#outbox.waiting.flatMap(({ seqs }) => seqs);
    const seq = open.length === 0 ? this.#seen : Math.min(...open) - 1;
    for (const each of this.#handled) if (each <= seq) this.#handled.delete(each);
    return { seq, beyond: [...this.#handled] };
  }
}

import {
  addToHistory,
  type ChannelRecord,
  composeMessage,
  inTemplates,
  type Loop,
  type Message,
  mayBeLast,
  type NoticeMemory,
  type NotifyRecords,
  noMemory,
  noticeOf,
  type Waiting,
} from '../core/index.ts';
import { type ChannelConfig, channelName, type RecordedFact } from '../protocol/index.ts';
import { ChannelQueue, type NotifyClock, type Reached } from './channel-queue.ts';
import type { Delivery } from './delivery.ts';

/** What a notifier needs. */
export interface NotifierPorts {
  readonly clock: NotifyClock;
  readonly timeZone: string;
  /** Delivers one message and never throws. */
  deliver(channel: ChannelConfig, message: Message, signal: AbortSignal): Promise<Delivery>;
  /** Keeps the records beyond this process; never throws. */
  save(records: NotifyRecords): void;
  /** Removes secrets from a text. */
  redact(text: string): string;
  /** Names a problem to the user. */
  report(message: string): void;
  /** How long deliveries that are under way may take once the loop rests. */
  readonly graceMs: number;
}

/** Where a notifier starts. */
export interface NotifierStart {
  readonly channels: readonly ChannelConfig[];
  /** What an earlier process left; undefined if there is nothing. */
  readonly records: NotifyRecords | undefined;
  /** The facts recorded so far; empty for a new loop. */
  readonly facts: readonly RecordedFact[];
  /** The loop after these facts; undefined for a new one. */
  readonly loop: Loop | undefined;
}

/** Tells people about a loop. Nothing in it can delay or fail the loop. */
export interface Notifier {
  /** Notes facts that were just recorded. */
  observe(facts: readonly RecordedFact[], loop: Loop): void;
  /** Sends everything that waits without further delay. */
  flush(): void;
  /** Waits for deliveries under way, within the grace period; then drops and names them. */
  settle(): Promise<void>;
}

const reportEveryMs = 3_600_000;

/** A notifier that continues where an earlier process stopped. */
export function createNotifier(start: NotifierStart, ports: NotifierPorts): Notifier {
  return new LoopNotifier(start, ports);
}

class LoopNotifier implements Notifier {
  readonly #ports: NotifierPorts;
  readonly #queues: readonly ChannelQueue[];
  readonly #reported = new Map<string, number>();
  #loop: Loop | undefined;
  #records: NotifyRecords;
  #memory: NoticeMemory = noMemory;

  constructor({ channels, records, facts, loop }: NotifierStart, ports: NotifierPorts) {
    this.#ports = ports;
    this.#loop = loop;
    // A channel that is new in an existing loop reports what happens from now on.
    const fresh: ChannelRecord = { cursor: { seq: facts.at(-1)?.seq ?? 0, beyond: [] } };
    this.#records = startRecords(channels, { records, fresh });
    ports.save(this.#records);
    this.#queues = channels.map((channel) => this.#queueFor(channel, fresh));
    for (const fact of facts) this.#read(fact);
  }

  observe(facts: readonly RecordedFact[], loop: Loop): void {
    this.#loop = loop;
    for (const fact of facts) this.#read(fact);
    if (facts.some(mayBeLast)) this.flush();
  }

  flush(): void {
    for (const queue of this.#queues) queue.flush();
  }

  async settle(): Promise<void> {
    const { clock, graceMs } = this.#ports;
    const grace = new AbortController();
    const idle = Promise.all(this.#queues.map((queue) => queue.idle()));
    await Promise.race([idle, clock.waitUntil(clock.nowMs() + graceMs, grace.signal)]);
    grace.abort();
    await Promise.all(this.#queues.map((queue) => queue.stop()));
  }

  #queueFor(channel: ChannelConfig, fresh: ChannelRecord): ChannelQueue {
    const name = channelName(channel);
    const { clock, timeZone, deliver } = this.#ports;
    return new ChannelQueue(channel, this.#records.channels[name] ?? fresh, {
      clock,
      timeZone,
      compose: (parts, isSilent) => inTemplates(channel, this.#compose(parts, isSilent)),
      deliver: async (message, signal) => await deliver(channel, message, signal),
      settled: (message, result, reached) => this.#settled(name, { message, result, reached }),
    });
  }

  #read(fact: RecordedFact): void {
    const { memory, notices } = noticeOf(this.#memory, fact);
    this.#memory = memory;
    for (const queue of this.#queues) queue.add(fact.seq, notices);
  }

  #compose(parts: readonly Waiting[], isSilent: boolean): Message {
    if (this.#loop === undefined) throw new TypeError('there is no loop to report on');
    const { redact } = this.#ports;
    const message = composeMessage(parts, this.#loop, { at: this.#now(), isSilent });
    return { ...message, title: redact(message.title), text: redact(message.text), task: redact(message.task) };
  }

  #settled(name: string, { message, result, reached }: Settled): void {
    const { title, text, triggers, priority } = message;
    const outcome = outcomeOf(result);
    const at = this.#now();
    const problem = outcome.why === undefined ? {} : { problem: { at, why: outcome.why } };
    this.#records = {
      channels: { ...this.#records.channels, [name]: { ...reached, ...problem } },
      history: addToHistory(this.#records.history, { at, channel: name, triggers, priority, title, text, ...outcome }),
    };
    this.#ports.save(this.#records);
    if (outcome.why !== undefined) this.#report(name, outcome.why);
  }

  #report(name: string, why: string): void {
    const nowMs = this.#ports.clock.nowMs();
    const last = this.#reported.get(name);
    if (last !== undefined && nowMs >= last && nowMs - last < reportEveryMs) return;
    this.#reported.set(name, nowMs);
    this.#ports.report(`A notification to "${name}" was not delivered: ${why}. The loop is not affected.`);
  }

  #now(): string {
    return new Date(this.#ports.clock.nowMs()).toISOString();
  }
}

interface Settled {
  readonly message: Message;
  readonly result: Delivery | 'dropped';
  readonly reached: Reached;
}

function outcomeOf(result: Delivery | 'dropped'): {
  readonly result: 'sent' | 'failed' | 'dropped';
  readonly why?: string;
} {
  if (result === 'dropped') return { result: 'dropped', why: 'it took too long and was dropped at the end of the run' };
  return result.ok ? { result: 'sent' } : { result: 'failed', why: result.why };
}

function startRecords(
  channels: readonly ChannelConfig[],
  { records, fresh }: { readonly records: NotifyRecords | undefined; readonly fresh: ChannelRecord },
): NotifyRecords {
  const entries = channels.map((channel) => {
    const name = channelName(channel);
    return [name, records?.channels[name] ?? fresh] as const;
  });
  return { channels: Object.fromEntries(entries), history: records?.history ?? [] };
}

import type { NotifyTrigger, Schedule } from '../../protocol/index.ts';
import { nextOpening } from '../rules/schedule.ts';
import { isAtLeast, type Notice } from './notices.ts';

/** How often a channel may be used. */
export interface OutboxLimits {
  readonly minIntervalMs: number;
  readonly maxPerHour: number;
  readonly debounceMs: number;
  /** When it may be used; its black-outs are the quiet hours. */
  readonly open?: Schedule | undefined;
}

/** Notices about one trigger that wait to be sent: the newest of them, and how many there are. */
export interface Waiting {
  readonly trigger: NotifyTrigger;
  readonly notice: Notice;
  readonly count: number;
  /** The numbers of the facts that they come from, oldest first, bounded. */
  readonly seqs: readonly number[];
  readonly firstMs: number;
  /** More may come until then. */
  readonly restsUntilMs: number;
  /** It is sent at once, because its process may be about to end. */
  readonly isLast: boolean;
}

/** When a channel was used. */
export interface Usage {
  /** When the messages of the last hour were taken. */
  readonly takenMs: readonly number[];
  /** When a message about each trigger was last taken. */
  readonly lastMs: Readonly<Partial<Record<NotifyTrigger, number>>>;
}

/** What one channel still has to send, and when it was used. Nothing is dropped: what must wait is combined. */
export interface Outbox extends Usage {
  readonly waiting: readonly Waiting[];
}

/** Nothing to send. */
export const emptyOutbox: Outbox = { waiting: [], takenMs: [], lastMs: {} };

const hourMs = 3_600_000;
/** A burst that does not end is sent after this many times the debounce. */
const maxRests = 6;
const maxSeqs = 200;

/** Adds a notice; whatever is still being collected waits for more. */
export function offer(
  outbox: Outbox,
  { notice, trigger }: { readonly notice: Notice; readonly trigger: NotifyTrigger },
  { limits: { debounceMs }, nowMs }: { readonly limits: OutboxLimits; readonly nowMs: number },
): Outbox {
  const rest = ({ firstMs }: Pick<Waiting, 'firstMs'>) =>
    Math.min(nowMs + debounceMs, Math.max(nowMs, firstMs + maxRests * debounceMs));
  const others = outbox.waiting
    .filter((item) => item.trigger !== trigger)
    .map((item) => (item.restsUntilMs > nowMs ? { ...item, restsUntilMs: rest(item) } : item));
  const same = outbox.waiting.find((item) => item.trigger === trigger);
  const firstMs = same?.firstMs ?? nowMs;
  const added: Waiting = {
    trigger,
    notice:
      same && isAtLeast(same.notice.priority, notice.priority) ? { ...notice, priority: same.notice.priority } : notice,
    count: (same?.count ?? 0) + 1,
    seqs: [...(same?.seqs ?? []), notice.seq].slice(-maxSeqs),
    firstMs,
    restsUntilMs: rest({ firstMs }),
    isLast: same?.isLast ?? false,
  };
  return { ...outbox, waiting: [...others, added] };
}

/** Everything that waits is sent at once, whatever the limits say. */
export function flush(outbox: Outbox): Outbox {
  return { ...outbox, waiting: outbox.waiting.map((item) => ({ ...item, isLast: true })) };
}

/** When the next message is due; undefined if nothing waits. */
export function dueAt(outbox: Outbox, limits: OutboxLimits, nowMs: number): number | undefined {
  const instants = outbox.waiting.map((item) => itemDueAt(item, outbox, { limits, nowMs }));
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** Takes what is due now, as the parts of one message. */
export function take(
  outbox: Outbox,
  limits: OutboxLimits,
  nowMs: number,
): { readonly outbox: Outbox; readonly taken: readonly Waiting[] } {
  const isDue = (item: Waiting) => itemDueAt(item, outbox, { limits, nowMs }) <= nowMs;
  const taken = outbox.waiting.filter(isDue);
  if (taken.length === 0) return { outbox, taken };
  const lastMs = Object.fromEntries(taken.map(({ trigger }) => [trigger, nowMs]));
  return {
    outbox: {
      waiting: outbox.waiting.filter((item) => !isDue(item)),
      takenMs: [...outbox.takenMs.filter((atMs) => atMs > nowMs - hourMs), nowMs],
      lastMs: { ...outbox.lastMs, ...lastMs },
    },
    taken,
  };
}

/** Whether an instant is within the quiet hours of a channel. */
export function isQuiet({ open }: Pick<OutboxLimits, 'open'>, atMs: number): boolean {
  return open !== undefined && nextOpening(open, atMs) !== atMs;
}

function itemDueAt(
  item: Waiting,
  { takenMs, lastMs }: Outbox,
  { limits, nowMs }: { readonly limits: OutboxLimits; readonly nowMs: number },
): number {
  if (item.isLast) return nowMs;
  const isCritical = item.notice.priority === 'critical';
  // A clock that was set back must not block a channel.
  const last = Math.min(lastMs[item.trigger] ?? Number.NEGATIVE_INFINITY, nowMs);
  const recent = takenMs.filter((atMs) => atMs <= nowMs && atMs > nowMs - hourMs);
  const oldest = recent.at(-limits.maxPerHour);
  const allowedMs = Math.max(
    isCritical ? item.firstMs : item.restsUntilMs,
    last + limits.minIntervalMs,
    oldest === undefined || recent.length < limits.maxPerHour ? Number.NEGATIVE_INFINITY : oldest + hourMs,
  );
  if (isCritical || limits.open === undefined) return allowedMs;
  return nextOpening(limits.open, Math.max(allowedMs, nowMs)) ?? Number.POSITIVE_INFINITY;
}

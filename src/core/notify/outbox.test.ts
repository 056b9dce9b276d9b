import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type NotifyPriority, type NotifyTrigger, notifyPriorities } from '../../protocol/index.ts';
import { isOpen } from '../rules/schedule.ts';
import type { Notice } from './notices.ts';
import {
  dueAt,
  emptyOutbox,
  flush,
  isQuiet,
  type Outbox,
  type OutboxLimits,
  offer,
  take,
  type Waiting,
} from './outbox.ts';

const limits: OutboxLimits = { minIntervalMs: 60_000, maxPerHour: 20, debounceMs: 5_000 };
const hourMs = 3_600_000;

interface Offered {
  readonly atMs: number;
  readonly trigger: NotifyTrigger;
  readonly priority: NotifyPriority;
  readonly isLast?: boolean;
}

interface Sent {
  readonly atMs: number;
  readonly parts: readonly Waiting[];
}

/** Offers notices at their instants and sends whatever is due, until an end or until nothing is left. */
function simulate(offers: readonly Offered[], given: OutboxLimits, untilMs = Number.POSITIVE_INFINITY) {
  const sent: Sent[] = [];
  let outbox: Outbox = emptyOutbox;
  const send = (atMs: number) => {
    const next = take(outbox, given, atMs);
    ({ outbox } = next);
    if (next.taken.length > 0) sent.push({ atMs, parts: next.taken });
  };
  const sendUntil = (endMs: number, nowMs: number) => {
    for (let due = dueAt(outbox, given, nowMs); due !== undefined && due <= endMs; due = dueAt(outbox, given, due)) {
      if (!Number.isFinite(due)) return;
      send(due);
    }
  };
  let nowMs = 0;
  for (const [index, { atMs, trigger, priority, isLast }] of offers.entries()) {
    sendUntil(atMs, nowMs);
    nowMs = atMs;
    const notice: Notice = { seq: index + 1, at: '', triggers: [trigger], priority, text: `${index + 1}` };
    outbox = offer(outbox, { notice, trigger }, { limits: given, nowMs });
    if (isLast) outbox = flush(outbox);
    if ((dueAt(outbox, given, nowMs) ?? Number.POSITIVE_INFINITY) <= nowMs) send(nowMs);
  }
  sendUntil(untilMs, nowMs);
  return { sent, outbox };
}

const at = (seconds: number, trigger: NotifyTrigger = 'error', priority: NotifyPriority = 'normal') => ({
  atMs: seconds * 1_000,
  trigger,
  priority,
});
const shown = ({ sent }: { sent: readonly Sent[] }) =>
  sent.map(({ atMs, parts }) => [atMs / 1_000, parts.map(({ trigger, count }) => `${trigger} ${count}`).join(', ')]);

test('B074: a burst becomes one message, five seconds after its last part', () => {
  const burst = [at(100), at(102, 'iteration'), at(104, 'no_progress')];
  expect(shown(simulate(burst, limits))).toEqual([[109, 'error 1, iteration 1, no_progress 1']]);
});

test('B074: a burst that does not end is sent after half a minute', () => {
  const burst = Array.from({ length: 60 }, (_, second) => at(second));
  expect(shown(simulate(burst, limits))[0]).toEqual([30, 'error 30']);
});

test('B074: the same trigger is sent once a minute; what comes between is combined', () => {
  const offers = [at(0), at(20), at(40), at(200)];
  expect(shown(simulate(offers, limits))).toEqual([
    [5, 'error 1'],
    [65, 'error 2'],
    [205, 'error 1'],
  ]);
});

test('B074: at most 20 messages are sent in an hour', () => {
  const offers = Array.from({ length: 59 }, (_, minute) => at(minute * 61));
  const { sent } = simulate(offers, limits);
  expect(sent.filter(({ atMs }) => atMs < hourMs)).toHaveLength(20);
  expect(sent[20]?.atMs).toBe(5_000 + hourMs);
});

test('B074: the last message of a loop is sent at once, with everything that waits, whatever the limits', () => {
  const used = Array.from({ length: 20 }, (_, minute) => at(minute * 61));
  const offers = [...used, at(1_300), { ...at(1_301, 'completed', 'high'), isLast: true }];
  expect(shown(simulate(offers, limits)).at(-1)).toEqual([1_301, 'error 1, completed 1']);
});

test('a critical notice does not wait for more', () => {
  expect(shown(simulate([at(0, 'attention', 'critical')], limits))).toEqual([[0, 'attention 1']]);
});

test('a clock that is set back does not block a channel for longer than its interval', () => {
  const before = simulate([at(100_000)], limits).outbox;
  const notice: Notice = { seq: 2, at: '', triggers: ['error'], priority: 'normal', text: '' };
  const outbox = offer(before, { notice, trigger: 'error' }, { limits, nowMs: 1_000 });
  expect(dueAt(outbox, limits, 1_000)).toBe(61_000);
});

const nights = { ...limits, open: { blackout: ['22:00-07:00'], timeZone: 'Europe/Berlin' } };
const instant = (text: string) => Date.parse(text);
const offeredAt = (text: string, trigger: NotifyTrigger, priority: NotifyPriority = 'normal') => ({
  atMs: instant(text),
  trigger,
  priority,
});
const whenSent = ({ sent }: { sent: readonly Sent[] }) => sent.map(({ atMs }) => new Date(atMs).toISOString());

test('B075: what quiet hours hold back follows in one message; critical notices pass', () => {
  const result = simulate(
    [
      offeredAt('2026-06-01T21:00:00+02:00', 'error'),
      offeredAt('2026-06-01T23:00:00+02:00', 'error'),
      offeredAt('2026-06-02T01:00:00+02:00', 'iteration'),
      offeredAt('2026-06-02T02:00:00+02:00', 'error'),
      offeredAt('2026-06-02T03:00:00+02:00', 'attention', 'critical'),
    ],
    nights,
  );
  expect(shown(result).map(([, parts]) => parts)).toEqual(['error 1', 'attention 1', 'iteration 1, error 2']);
  expect(whenSent(result)).toEqual([
    '2026-06-01T19:00:05.000Z',
    '2026-06-02T01:00:00.000Z',
    '2026-06-02T05:00:00.000Z',
  ]);
});

test.each([
  ['forward', '2026-03-28T23:00:00+01:00', '2026-03-29T07:00:00+02:00'],
  ['back', '2026-10-24T23:00:00+02:00', '2026-10-25T07:00:00+01:00'],
])('B075: quiet hours end at seven in the morning on the night in which clocks go %s', (_way, held, end) => {
  expect(whenSent(simulate([offeredAt(held, 'error')], nights))).toEqual([new Date(end).toISOString()]);
});

test('quiet hours within a day hold back only what falls into them', () => {
  const noon = { ...limits, open: { blackout: ['12:00-13:00'], timeZone: 'UTC' } };
  const offers = [offeredAt('2026-06-01T11:00:00Z', 'error'), offeredAt('2026-06-01T12:30:00Z', 'error')];
  expect(whenSent(simulate(offers, noon))).toEqual(['2026-06-01T11:00:05.000Z', '2026-06-01T13:00:00.000Z']);
  expect(isQuiet(noon, instant('2026-06-01T12:59:59Z'))).toBe(true);
  expect(isQuiet(noon, instant('2026-06-01T13:00:00Z'))).toBe(false);
});

const anyOffers = fc
  .array(
    fc.record({
      gapMs: fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 4 * hourMs })),
      trigger: fc.constantFrom<NotifyTrigger>('error', 'iteration', 'attention', 'no_progress'),
      priority: fc.constantFrom<NotifyPriority>(...notifyPriorities),
      isLast: fc.integer({ min: 0, max: 30 }).map((dice) => dice === 0),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    // The night in which clocks go forward in Berlin is among the simulated ones.
    let atMs = Date.parse('2026-03-28T12:00:00Z');
    return steps.map(({ gapMs, ...rest }) => ({ ...rest, atMs: (atMs += gapMs) }));
  });

const isLimited = ({ parts }: Sent) => !parts.some(({ isLast }) => isLast);

test('B074: whatever is offered, intervals, the hourly limit and quiet hours hold, and nothing is lost', () => {
  fc.assert(
    fc.property(anyOffers, fc.integer({ min: 1, max: 5 }), (offers, maxPerHour) => {
      const given = { ...nights, maxPerHour };
      const { sent, outbox } = simulate(offers, given);

      const parts = sent.flatMap((message) => message.parts);
      expect(outbox.waiting).toEqual([]);
      expect(parts.flatMap(({ seqs }) => seqs).toSorted((one, other) => one - other)).toEqual(
        offers.map((_, i) => i + 1),
      );

      for (const [index, message] of sent.entries()) {
        if (!isLimited(message)) continue;
        const earlier = sent.slice(0, index);
        expect(earlier.filter(({ atMs }) => atMs > message.atMs - hourMs).length).toBeLessThan(maxPerHour);
        for (const { trigger, notice } of message.parts) {
          const last = earlier.findLast((each) => each.parts.some((part) => part.trigger === trigger));
          if (last !== undefined) expect(message.atMs - last.atMs).toBeGreaterThanOrEqual(given.minIntervalMs);
          if (notice.priority !== 'critical') expect(isOpen(given.open, message.atMs)).toBe(true);
        }
      }
      for (const { atMs } of offers.filter(({ isLast }) => isLast)) {
        expect(sent.some((message) => message.atMs === atMs)).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

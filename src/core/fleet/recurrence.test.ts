import fc from 'fast-check';
import { expect, test } from 'vitest';
import { localClock } from '../rules/local-time.ts';
import { nextByCron, parseCron } from './cron.ts';
import { dueRuns, firstDue, type MissedRuns, parseEvery, runKey } from './recurrence.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The next due times after an instant, as UTC without seconds. */
function due(text: string, from: string, { zone = 'Europe/Berlin', count = 3 } = {}): string[] {
  const cron = parseCron(text);
  if (typeof cron === 'string') throw new Error(cron);
  const found: string[] = [];
  let at = Date.parse(from);
  while (found.length < count) {
    at = nextByCron(cron, localClock(zone), at) ?? expect.unreachable();
    found.push(new Date(at).toISOString().replace(/:00\.000Z$/, ''));
  }
  return found;
}

test.each<[string, string, readonly string[]]>([
  ['30 2 * * *', '2026-06-01T12:00:00Z', ['2026-06-02T00:30', '2026-06-03T00:30', '2026-06-04T00:30']],
  ['*/20 9-10 * * mon-fri', '2026-06-05T08:00:00Z', ['2026-06-05T08:20', '2026-06-05T08:40', '2026-06-08T07:00']],
  ['0 0 29 feb ?', '2096-03-01T00:00:00Z', ['2104-02-28T23:00', '2108-02-28T23:00', '2112-02-28T23:00']],
  ['0 12 13 * fri', '2026-02-12T12:00:00Z', ['2026-02-13T11:00', '2026-02-20T11:00', '2026-02-27T11:00']],
  ['0 0 */2 * 1', '2026-06-01T12:00:00Z', ['2026-06-14T22:00', '2026-06-28T22:00', '2026-07-12T22:00']],
  ['0 8 * * sat-sun', '2026-06-05T12:00:00Z', ['2026-06-06T06:00', '2026-06-07T06:00', '2026-06-13T06:00']],
  ['5,35 0 1 1-12/6 *', '2026-02-01T00:00:00Z', ['2026-06-30T22:05', '2026-06-30T22:35', '2026-12-31T23:05']],
  ['@Weekly', '2026-06-05T12:00:00Z', ['2026-06-06T22:00', '2026-06-13T22:00', '2026-06-20T22:00']],
])('the calendar rule "%s" is due when it says', (text, from, expected) => {
  expect(due(text, from)).toEqual(expected);
});

// On 29 March 2026 the clocks of Berlin go from 02:00 to 03:00, on 25 October from 03:00 back to 02:00.
test.each<[string, string, string, readonly string[]]>([
  [
    'a daily time that is left out is due when the clocks have changed',
    '30 2 * * *',
    '2026-03-28T12:00:00Z',
    ['2026-03-29T01:00', '2026-03-30T00:30'],
  ],
  [
    'a daily time that comes twice is due the first time',
    '30 2 * * *',
    '2026-10-24T12:00:00Z',
    ['2026-10-25T00:30', '2026-10-26T01:30'],
  ],
  [
    'a rule for every hour goes on in the hour that comes twice',
    '30 * * * *',
    '2026-10-24T23:40:00Z',
    ['2026-10-25T00:30', '2026-10-25T01:30', '2026-10-25T02:30'],
  ],
  [
    'a rule for every hour is not due in the hour that is left out',
    '30 * * * *',
    '2026-03-29T00:00:00Z',
    ['2026-03-29T00:30', '2026-03-29T01:30'],
  ],
])('%s', (_title, text, from, expected) => {
  expect(due(text, from, { count: expected.length })).toEqual(expected);
});

test('a zone that skips a whole day, and one whose clocks change at midnight, are no trouble', () => {
  expect(due('0 9 * * *', '2011-12-29T12:00:00Z', { zone: 'Pacific/Apia', count: 2 })).toEqual([
    '2011-12-29T19:00',
    '2011-12-30T10:00',
  ]);
  expect(due('0 0 * * *', '2026-03-07T12:00:00Z', { zone: 'America/Havana', count: 2 })).toEqual([
    '2026-03-08T05:00',
    '2026-03-09T04:00',
  ]);
});

test.each([
  ['60 * * * *', '"60" is no value of the field "minute", which goes from 0 to 59'],
  ['* * * *', 'and this has 4'],
  ['* * * * * *', 'and this has 6'],
  ['0 0 30 feb *', 'no date fulfils it'],
  ['*/0 * * * *', '"*/0" is no value'],
  ['0 0 * * mon-', '"mon-" is no value'],
  ['10-5 * * * *', '"10-5" is no value'],
  ['soon', 'and this has 1'],
  ['30s', 'the shortest interval is 1m'],
  ['', 'and this has 1'],
])('"%s" is refused, with the reason', (text, why) => {
  expect(() => parseEvery(text)).toThrow(why);
  expect(() => parseEvery(text)).toThrow(expect.objectContaining({ code: 'SCHEDULE_MALFORMED' }));
});

test('a time zone that nobody knows is refused', () => {
  expect(() => parseEvery('@daily', 'Mars/Olympus')).toThrow(expect.objectContaining({ code: 'SCHEDULE_ZONE' }));
});

test('an interval begins at once, keeps its rhythm, and does not drift when a worker looks late', () => {
  const recurrence = parseEvery('2h');
  expect(firstDue(recurrence, 1_000)).toBe(1_000);
  const late = dueRuns({ recurrence, nextMs: 0, nowMs: 2 * hour + 40_000, missed: 'one' });
  expect(late).toEqual({ runs: [2 * hour], nextMs: 4 * hour });
});

test('missed runs are skipped, made up for once, or all started', () => {
  const recurrence = parseEvery('0 * * * *', 'UTC');
  const runs = (missed: MissedRuns, nowMs: number) => dueRuns({ recurrence, nextMs: hour, nowMs, missed });
  expect(runs('skip', 3.5 * hour)).toEqual({ runs: [], nextMs: 4 * hour });
  expect(runs('skip', 3 * hour + 30_000)).toEqual({ runs: [3 * hour], nextMs: 4 * hour });
  expect(runs('one', 3.5 * hour)).toEqual({ runs: [3 * hour], nextMs: 4 * hour });
  expect(runs('all', 3.5 * hour)).toEqual({ runs: [hour, 2 * hour, 3 * hour], nextMs: 4 * hour });
  expect(runs('all', 0.5 * hour)).toEqual({ runs: [], nextMs: hour });
});

test.each(['* * * * *', '1m'])('a clock that jumps by ten years starts at most a hundred runs of "%s"', (text) => {
  const recurrence = parseEvery(text);
  const nowMs = 3650 * day;
  const { runs, nextMs } = dueRuns({ recurrence, nextMs: day, nowMs, missed: 'all' });
  expect(runs).toHaveLength(100);
  expect(runs.at(-1)).toBe(nowMs);
  expect(nextMs).toBe(nowMs + minute);
});

test('a schedule that a wrong clock has pushed into the future comes back when the clock does', () => {
  for (const text of ['0 6 * * *', '6h']) {
    const recurrence = parseEvery(text);
    const pushed = dueRuns({ recurrence, nextMs: day + 6 * hour, nowMs: 365 * day, missed: 'one' }).nextMs;
    const { runs, nextMs } = dueRuns({ recurrence, nextMs: pushed, nowMs: 2 * day, missed: 'one' });
    expect(runs).toEqual([]);
    expect(nextMs).toBe(2 * day + 6 * hour);
  }
});

test('whoever looks how often at whatever times: each due time is started once, and none is left out with "all"', () => {
  const rule = fc.constantFrom('7,50 * * * *', '30 2 * * *', '15 */3 * * sun', '90m', '47m');
  const looks = fc.array(fc.integer({ min: 0, max: 5 * hour }), { maxLength: 30 });
  const from = fc.constantFrom(Date.parse('2026-03-28T20:00:00Z'), Date.parse('2026-10-24T20:00:00Z'));
  fc.assert(
    fc.property(rule, looks, from, (text, steps, startMs) => {
      const recurrence = parseEvery(text, 'Europe/Berlin');
      const started: number[] = [];
      let nextMs = firstDue(recurrence, startMs);
      const expected: number[] = [];
      let nowMs = startMs;
      for (const step of [0, ...steps]) {
        nowMs += step;
        const { runs, nextMs: next } = dueRuns({ recurrence, nextMs, nowMs, missed: 'all' });
        started.push(...runs);
        expect(next).toBeGreaterThan(nowMs);
        nextMs = next;
      }
      for (let at = firstDue(recurrence, startMs); at <= nowMs; ) {
        expected.push(at);
        at = dueRuns({ recurrence, nextMs: at, nowMs: at, missed: 'all' }).nextMs;
      }
      expect(started).toEqual(expected);
      expect(new Set(started.map((at) => runKey('nightly', at))).size).toBe(started.length);
    }),
    { numRuns: 30 },
  );
});

test('any number of workers that look at once agree about the runs', () => {
  const recurrence = parseEvery('0 * * * *');
  const moment = { recurrence, nextMs: hour, nowMs: 2 * hour, missed: 'one' } as const;
  expect(dueRuns(moment)).toEqual(dueRuns(moment));
  expect(runKey('nightly', 2 * hour)).toBe('nightly@1970-01-01T02:00:00.000Z');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Schedule, weekdays } from '../../protocol/index.ts';
import { startedStory } from '../testing/story.ts';
import { isOpen, nextOpening } from './schedule.ts';

const minute = 60_000;
const quarter = 15 * minute;
const day = 24 * 60 * minute;

function schedule(more: Partial<Schedule>): Schedule {
  return { blackout: [], timeZone: 'Europe/Berlin', ...more };
}

function opening(more: Partial<Schedule>, from: string): string | undefined {
  const openMs = nextOpening(schedule(more), Date.parse(from));
  return openMs === undefined ? undefined : new Date(openMs).toISOString();
}

test.each<[string, Partial<Schedule>, string, string]>([
  ['waits for its hours to begin', { hours: '22:00-07:00' }, '2026-11-18T12:00:00Z', '2026-11-18T21:00:00.000Z'],
  ['is open overnight', { hours: '22:00-07:00' }, '2026-11-19T03:00:00Z', '2026-11-19T03:00:00.000Z'],
  ['closes at the end of its hours', { hours: '22:00-07:00' }, '2026-11-19T06:00:00Z', '2026-11-19T21:00:00.000Z'],
  [
    'has more than one range of hours',
    { hours: '09:00-12:00, 13:00-17:00' },
    '2026-11-18T11:30:00Z',
    '2026-11-18T12:00:00.000Z',
  ],
  [
    'counts the hours after midnight to the day on which they began',
    { hours: '22:00-07:00', days: ['fri'] },
    '2026-11-21T05:59:00Z',
    '2026-11-21T05:59:00.000Z',
  ],
  [
    'does not open in the early hours of a day on which it only begins at night',
    { hours: '22:00-07:00', days: ['fri'] },
    '2026-11-20T03:00:00Z',
    '2026-11-20T21:00:00.000Z',
  ],
  ['waits for an allowed day', { days: ['mon'] }, '2026-11-18T12:00:00Z', '2026-11-22T23:00:00.000Z'],
  ['keeps its dates free', { blackout: ['2026-12-24/2026-12-26'] }, '2026-12-24T08:00:00Z', '2026-12-26T23:00:00.000Z'],
  ['keeps its hours free', { blackout: ['12:00-13:00'] }, '2026-11-18T11:10:00Z', '2026-11-18T12:00:00.000Z'],
  // On 29 March 2026 the clocks go from 02:00 to 03:00, on 25 October from 03:00 back to 02:00.
  [
    'opens when the clocks have changed, if its hours begin in the hour that is left out',
    { hours: '02:30-05:00' },
    '2026-03-29T00:00:00Z',
    '2026-03-29T01:00:00.000Z',
  ],
  [
    'leaves out a day on which its hours do not exist',
    { hours: '02:15-02:45' },
    '2026-03-29T00:00:00Z',
    '2026-03-30T00:15:00.000Z',
  ],
  [
    'opens a second time in an hour that comes twice',
    { hours: '02:15-02:45' },
    '2026-10-25T00:50:00Z',
    '2026-10-25T01:15:00.000Z',
  ],
])('B062: a schedule %s', (_what, more, from, expected) => {
  expect(opening(more, from)).toBe(expected);
});

test('B062: a schedule that never opens is known as one', () => {
  expect(opening({ hours: '09:00-12:00', blackout: ['08:00-13:00'] }, '2026-11-18T12:00:00Z')).toBeUndefined();
  expect(opening({ blackout: ['2026-01-01/2099-12-31'] }, '2026-11-18T12:00:00Z')).toBeUndefined();
});

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Asia/Beirut'];
const clockChanges = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01', '2026-07-01'];

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 30, 45))
  .map(([hour, minutes]) => `${String(hour).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`);
const range = fc
  .tuple(time, time)
  .filter(([from, to]) => from !== to)
  .map(([from, to]) => `${from}-${to}`);
const someSchedule: fc.Arbitrary<Schedule> = fc.record({
  hours: fc.array(range, { minLength: 1, maxLength: 2 }).map((ranges) => ranges.join(', ')),
  days: fc.subarray([...weekdays], { minLength: 3 }),
  blackout: fc.array(range, { maxLength: 1 }),
  timeZone: fc.constantFrom(...zones),
});

test('B062: the next opening is the first open quarter of an hour, also where clocks are changed', () => {
  const from = fc.tuple(fc.constantFrom(...clockChanges), fc.integer({ min: -96, max: 96 }));
  fc.assert(
    fc.property(someSchedule, from, (given, [date, quarters]) => {
      const nowMs = Date.parse(`${date}T00:00:00Z`) + quarters * quarter;
      const openMs = nextOpening(given, nowMs);
      const horizonMs = Math.min(openMs ?? Number.POSITIVE_INFINITY, nowMs + day);
      for (let atMs = nowMs; atMs < horizonMs; atMs += quarter) expect(isOpen(given, atMs)).toBe(false);
      if (openMs !== undefined) expect(isOpen(given, openMs)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

const nightly = { schedule: { hours: '22:00-07:00', timeZone: 'UTC' } } as const;

test('B062: outside its schedule a loop waits, does not use up its running time, and refuses to retry', () => {
  const story = startedStory({ config: { ...nightly, maxTime: '1h' } });
  const until = '2026-11-01T22:00:00.000Z';
  expect(story.advance(2_000)).toEqual({ type: 'wait', until, cause: 'schedule', isWhole: true });
  expect(story.loop.totals.runningMs).toBe(2_000);
  expect(story.loop.pending.wait).toEqual({
    until,
    since: '2026-11-01T12:00:00.000Z',
    cause: 'schedule',
    message: 'iterations may start 22:00-07:00 (UTC)',
  });
  story.command({ command: 'retry' });
  expect(story.facts.at(-1)).toMatchObject({
    type: 'command.refused',
    data: { why: expect.stringMatching(/schedule/u) },
  });
  expect(story.pass(10 * 60 * minute).next()).toMatchObject({ type: 'begin', iteration: 1 });
});

test('B062: the end of the hours interrupts no iteration, and the next one waits', () => {
  const story = startedStory({ config: nightly })
    .pass(18 * 60 * minute + 59 * minute)
    .run({ claimed: false });
  story.pass(2 * minute);
  expect(story.advance()).toMatchObject({ type: 'wait', cause: 'schedule', until: '2026-11-02T22:00:00.000Z' });
  expect(story.loop.position.finished).toBe(1);
});

test('B062: a wait for the schedule ends when the schedule is removed', () => {
  const story = startedStory({ config: nightly });
  expect(story.advance().type).toBe('wait');
  const { schedule: _schedule, ...config } = story.loop.config;
  story.loop = { ...story.loop, config };
  expect(story.next()).toMatchObject({ type: 'begin' });
});

test('B062: a schedule that does not open again pauses the loop', () => {
  const schedule = { blackout: ['2026-01-01/2099-12-31'], timeZone: 'UTC' };
  const story = startedStory({ config: { schedule } });
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.loop.outcome).toMatchObject({ reason: 'configuration', message: expect.stringMatching(/never opens/u) });
});

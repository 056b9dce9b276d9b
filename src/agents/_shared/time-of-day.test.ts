import { expect, test } from 'vitest';
import { nextTimeOfDay } from './time-of-day.ts';

const now = new Date('2026-11-15T22:12:00Z');

test.each([
  ['later today', { hour: 23, minute: 11, zone: 'UTC' }, '2026-11-15T23:11:00.000Z'],
  ['tomorrow, when it is past today', { hour: 22, minute: 12, zone: 'UTC' }, '2026-11-16T22:12:00.000Z'],
  ['by the clocks of its zone', { hour: 18, minute: 0, zone: 'America/New_York' }, '2026-11-15T23:00:00.000Z'],
  ['on the day that its zone already has', { hour: 9, minute: 30, zone: 'Asia/Tokyo' }, '2026-11-16T00:30:00.000Z'],
  ['on a date', { hour: 15, minute: 0, zone: 'UTC', month: 11, day: 20 }, '2026-11-20T15:00:00.000Z'],
  ['on a date of next year', { hour: 8, minute: 0, zone: 'UTC', month: 1, day: 2 }, '2027-01-02T08:00:00.000Z'],
  [
    'by the summer time of a far date',
    { hour: 8, minute: 0, zone: 'Europe/Paris', month: 7, day: 1 },
    '2027-07-01T06:00:00.000Z',
  ],
])('A083: a time of day is %s', (_when, time, instant) => {
  expect(nextTimeOfDay(time, now)?.toISOString()).toBe(instant);
});

test('A083: a time in an unknown zone is unknown', () => {
  expect(nextTimeOfDay({ hour: 1, minute: 0, zone: 'Nowhere/Atall' }, now)).toBeUndefined();
});

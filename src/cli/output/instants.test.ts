import { expect, test } from 'vitest';
import { localInstant } from './instants.ts';

const now = new Date(2026, 10, 30, 23, 50).getTime();

test.each([
  [new Date(2026, 10, 30, 23, 59), '23:59'],
  [new Date(2026, 10, 30, 4, 5), '04:05'],
  [new Date(2026, 11, 1, 0, 1), 'tomorrow 00:01'],
  [new Date(2026, 11, 2, 3, 0), 'Wed 2 Dec 03:00'],
  [new Date(2026, 10, 29, 3, 0), 'Sun 29 Nov 03:00'],
])('an instant is shown as people write it: %s', (instant, text) => {
  expect(localInstant(instant.getTime(), now)).toBe(text);
});

import { expect, test } from 'vitest';
import { dollars, duration, money } from './amounts.ts';

test('durations have at most two units, and tick more slowly the longer they are', () => {
  const seconds = [0, 59, 60, 69, 70, 400, 3_600, 20_000, 86_400, 200_000];
  expect(seconds.map((each) => duration(each * 1_000))).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '1 min',
    '1 min 10 s',
    '6 min 40 s',
    '1 h',
    '5 h 33 min',
    '1 d',
    '2 d 7 h',
  ]);
});

test('money says how well it is known, and unknown is never zero', () => {
  expect([money(null), money(0, 0), money(4.1, 2), dollars(0.003), dollars(12_345)]).toEqual([
    'not reported',
    '$0.00',
    '≥ $4.10',
    '< $0.01',
    '$12k',
  ]);
});

import { expect, test } from 'vitest';
import type { Fact } from '../../protocol/index.ts';
import { createConsequences } from './consequences.ts';

const until = '2026-11-01T12:00:00.000Z';
const finished = (outcome: string) => ({ type: 'agent.finished', data: { outcome } }) as unknown as Fact;
const wait = (cause: string) => ({ type: 'wait.scheduled', data: { until, cause, message: 'why' } }) as Fact;

test('a limit of the plan holds back the whole account, and an overloaded provider only gets fewer loops at once', () => {
  const consequencesOf = createConsequences();
  expect(consequencesOf([finished('usage_limited')])).toEqual({});
  expect(consequencesOf([wait('limit')])).toEqual({ blockedUntil: until, blockedWhy: 'why' });
  expect(consequencesOf([finished('rate_limited'), wait('limit')])).toEqual({ overloaded: true });
  expect(consequencesOf([finished('completed')])).toEqual({});
  expect(consequencesOf([wait('delay')])).toEqual({});
  expect(consequencesOf([wait('limit')])).toEqual({ blockedUntil: until, blockedWhy: 'why' });
});

test('an owner that took over between the run and the wait takes the stricter of the two', () => {
  expect(createConsequences()([wait('limit')])).toMatchObject({ blockedUntil: until });
});

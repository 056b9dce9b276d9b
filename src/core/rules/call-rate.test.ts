import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiCalls } from '../../protocol/index.ts';
import { explain } from '../explain/explain.ts';
import { startedStory } from '../testing/story.ts';
import { addCalls, callsInHour, isRateReached, spreadCalls } from './call-rate.ts';

const minute = 60_000;
const hour = 60 * minute;
const now = Date.parse('2026-11-01T12:00:00.000Z');
const at = (ms: number, count: number): ApiCalls => ({ at: new Date(ms).toISOString(), count });

test('B062: calls are added up in steps of five minutes, and forgotten after an hour', () => {
  const calls = addCalls([at(now - 61 * minute, 7), at(now - 59 * minute, 1)], [at(now - 1, 2), at(now, 3)], now);
  expect(calls).toEqual([at(now - 59 * minute, 1), at(now - 1, 2), at(now, 3)]);
  expect(addCalls(calls, [at(now + minute, 4)], now + 2 * minute)).toEqual([at(now - 1, 2), at(now + minute, 7)]);
  expect(callsInHour(calls, now + minute)).toBe(5);
});

test('B062: steps lose no call of the last hour, and are few however many calls there are', () => {
  const some = fc.array(fc.record({ ago: fc.nat(2 * hour), count: fc.integer({ min: 1, max: 50 }) }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(some, (made) => {
      const calls = made.map(({ ago, count }) => at(now - ago, count));
      const kept = addCalls([], calls, now);
      expect(callsInHour(kept, now)).toBe(callsInHour(calls, now));
      expect(kept.length).toBeLessThanOrEqual(14);
      expect(addCalls(kept, [], now)).toEqual(kept);
    }),
  );
});

test('B062: calls of unknown time are spread over the run, and none is lost', () => {
  expect(spreadCalls(3, now, now)).toEqual([at(now, 3)]);
  expect(spreadCalls(4, now - 10 * minute, now)).toEqual([at(now - 5 * minute, 2), at(now, 2)]);
  fc.assert(
    fc.property(fc.nat(5_000), fc.nat(5 * hour), (count, lengthMs) => {
      expect(spreadCalls(count, now - lengthMs, now).reduce((sum, each) => sum + each.count, 0)).toBe(count);
    }),
  );
});

test('B062: a run is over when it and the runs before it have made as many calls in an hour as are allowed', () => {
  const allowance = { perHour: 10, earlier: [at(now - 59 * minute, 6)] };
  expect(isRateReached(allowance, [at(now, 3)], now)).toBe(false);
  expect(isRateReached(allowance, [at(now, 4)], now)).toBe(true);
  expect(isRateReached(allowance, [at(now, 4)], now + 2 * minute)).toBe(false);
});

const bounded = { resources: { apiCallsPerHour: 10 } } as const;

test('B062: at the bound on API calls a loop waits until another call is allowed; that costs no iteration', () => {
  const story = startedStory({ config: bounded }).run({ calls: [at(now - 20 * minute, 4), at(now, 6)] });
  const until = new Date(now + 40 * minute).toISOString();
  expect(story.advance()).toEqual({ type: 'wait', until, cause: 'rate', isWhole: true });
  expect(story.loop.pending.wait?.message).toBe('10 of 10 API calls in the last hour');
  expect(explain(story.loop, { nowMs: story.nowMs })).toMatchObject({
    situation: { kind: 'waiting', cause: 'rate' },
    because: expect.arrayContaining([{ kind: 'message', text: '10 of 10 API calls in the last hour' }]) as unknown,
  });
  expect(explain(story.loop, { nowMs: story.nowMs }).next).not.toContainEqual({ step: 'retry' });
  story.command({ command: 'retry' });
  expect(story.facts.at(-1)).toMatchObject({
    type: 'command.refused',
    data: { why: expect.stringContaining('bound') },
  });
  story.takeOver();
  expect(story.next()).toMatchObject({ type: 'wait', cause: 'rate', until });
  expect(story.pass(40 * minute).next()).toMatchObject({ type: 'begin', iteration: 2, attempt: 1 });
});

test('B062: below the bound, without one, and after a pause of an hour, nothing waits', () => {
  expect(
    startedStory({ config: bounded })
      .run({ calls: [at(now, 9)] })
      .advance(),
  ).toMatchObject({ type: 'begin' });
  expect(
    startedStory()
      .run({ calls: [at(now, 9_999)] })
      .advance(),
  ).toMatchObject({ type: 'begin' });
  const paused = startedStory({ config: bounded }).run({ calls: [at(now, 10)] });
  paused.advance();
  paused.command({ command: 'pause' }).advance();
  paused.pass(hour).command({ command: 'resume' });
  expect(paused.advance()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('B062: a clock that is set back makes the wait for API calls no longer than an hour, once', () => {
  const story = startedStory({ config: bounded }).run({ calls: [at(now, 10)] });
  story.pass(-3 * hour);
  expect(story.advance()).toMatchObject({ type: 'wait', until: new Date(story.nowMs + hour).toISOString() });
  // In the middle of the wait it is set back again: the runner records when the rest is over.
  story.pass(30 * minute - 5 * hour);
  const until = new Date(story.nowMs + 30 * minute).toISOString();
  story.tell({ type: 'wait.scheduled', data: { until, cause: 'rate', message: 'x' } });
  story.pass(30 * minute);
  expect(story.next()).toMatchObject({ type: 'begin' });
  expect(story.run({ calls: [at(story.nowMs, 9)] }).advance()).toMatchObject({ type: 'begin', iteration: 3 });
});

import { expect, test } from 'vitest';
import { createRedlineWatch } from './redline-watch.ts';

const used = (tokens: number, size?: number) =>
  ({ type: 'context', used: tokens, ...(size === undefined ? {} : { size }) }) as const;

test('B033: an agent is ended once its session has passed the redline, and only while it is past it', () => {
  const watch = createRedlineWatch({ percent: 85, isBelow: false });
  const after = (tokens: number) => {
    watch.note([used(tokens, 200_000)]);
    return watch.isFull();
  };
  expect([100_000, 169_999, 170_000, 60_000, 180_000].map(after)).toEqual([false, false, true, false, true]);
  expect(watch.context()).toEqual({ used: 180_000, size: 200_000 });
});

test('B033: a session that begins above the redline is not ended for it: every next one would begin there too', () => {
  const watch = createRedlineWatch({ percent: 85, isBelow: false });
  watch.note([used(190_000, 200_000), used(199_000)]);
  expect(watch.isFull()).toBe(false);
  const continued = createRedlineWatch({ percent: 85, isBelow: true });
  continued.note([used(190_000, 200_000)]);
  expect(continued.isFull()).toBe(true);
});

test('B033: the window of an earlier run serves where the agent reports it only at its end; without one nothing is known', () => {
  const known = createRedlineWatch({ percent: 85, window: 200_000, isBelow: false });
  // Both readings come in one piece of output.
  known.note([used(20_000), used(180_000)]);
  expect(known.isFull()).toBe(true);
  const unknown = createRedlineWatch({ percent: 85, isBelow: true });
  unknown.note([used(180_000)]);
  expect([unknown.isFull(), unknown.context()]).toEqual([false, undefined]);
});

test('B033: without the mode "immediate" nothing is watched', () => {
  const watch = createRedlineWatch(undefined);
  watch.note([used(20_000, 200_000), used(199_000)]);
  expect(watch.isFull()).toBe(false);
});

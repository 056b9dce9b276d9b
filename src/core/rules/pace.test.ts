import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startedStory } from '../testing/story.ts';
import { paceOf, recommend, velocityOf } from './pace.ts';

test('B051: the velocity is the mean of the newest five scores, and unknown before the first', () => {
  expect(velocityOf([])).toBe(null);
  expect(velocityOf([0.3])).toBe(0.3);
  expect(velocityOf([1, 1, 1, 0, 0, 0.3, 0.2, 0])).toBe(0.1);
});

test.each([
  [0, 'continue'],
  [2, 'continue'],
  [3, 'monitor'],
  [5, 'monitor'],
  [6, 'consider_change'],
  [10, 'consider_change'],
  [11, 'stop'],
  [400, 'stop'],
])('B051: after %d iterations without progress the recommendation is: %s', (streak, recommendation) => {
  expect(recommend(streak, 0)).toBe(recommendation);
  expect(recommend(streak, 0.1)).toBe(recommendation);
  expect(recommend(streak, null)).toBe(recommendation);
  expect(recommend(streak, 0.11)).toBe('continue');
});

test('B052: progress resets the streak and with it the recommendation', () => {
  const idle = { changes: { known: true, headMoved: false, modified: [], created: [], deleted: [], count: 0 } };
  const story = startedStory({ config: { stopConditions: { maxNoProgressIterations: 0 } } });
  for (let iteration = 1; iteration <= 6; iteration += 1) story.run(idle).advance();
  expect(paceOf(story.loop)).toEqual({ velocity: 0, streak: 6, recommendation: 'consider_change' });
  story.run().advance();
  expect(paceOf(story.loop)).toEqual({ velocity: 0.06, streak: 0, recommendation: 'continue' });
});

test('B051: the velocity of scores of 0 to 1 is 0 to 1', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), (scores) => {
      expect(velocityOf(scores)).toBeGreaterThanOrEqual(0);
      expect(velocityOf(scores)).toBeLessThanOrEqual(1);
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paceOf } from '../rules/pace.ts';
import { changed, counts } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { returnsOf } from './returns.ts';

const scored = (scores: readonly number[]) => scores.map((score, index) => ({ iteration: index + 1, score }));

test.each([
  [[40], undefined],
  [[40, 60], { trend: 'gaining', score: 60 }],
  [[40, 44], { trend: 'gaining', score: 44 }],
  [[40, 44, 48], { trend: 'diminishing', since: 1, score: 48 }],
  [[40, 60, 64, 68], { trend: 'diminishing', since: 2, score: 68 }],
  [[40, 45, 50], { trend: 'gaining', score: 50 }],
  [[100, 95.5, 91.2], { trend: 'diminishing', since: 1, score: 91.2 }],
  [[60, 60, 60], { trend: 'diminishing', since: 1, score: 60 }],
  [[20, 60, 61, 61, 62], { trend: 'plateau', since: 2, score: 62 }],
  [[0, 0, 0, 0], { trend: 'plateau', since: 1, score: 0 }],
  [[60, 60, 60, 60, 80], { trend: 'gaining', score: 80 }],
])('B098: the scores %j give %j', (scores, expected) => {
  expect(returnsOf(scored(scores))).toEqual(expected);
});

test('B098: a result that keeps improving by more than 5 points and 5 percent never suggests anything', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 6, max: 30 }), { minLength: 1, maxLength: 6 }), (gains) => {
      let score = 1;
      const scores = [score, ...gains.map((gain) => (score += gain))];
      expect(returnsOf(scored(scores))?.trend).toBe('gaining');
    }),
  );
});

test('B098: diminishing returns are a suggestion: the loop goes on, and keeps a bounded number of scores', () => {
  const config = {
    maxIterations: 0,
    maxTime: '100h',
    completionPromise: null,
    stopConditions: { maxTestFailureStreak: 0 },
  };
  const story = startedStory({ config });
  for (let iteration = 1; iteration <= 25; iteration += 1) {
    story
      .run({ changes: changed(1) })
      .gate({ verdict: 'failed', tests: counts(5) })
      .advance();
  }
  expect(paceOf(story.loop).returns).toEqual({ trend: 'plateau', since: 6, score: 25 });
  expect(story.loop.progress.recentQuality).toHaveLength(20);
  expect(story.next().type).toBe('begin');
});

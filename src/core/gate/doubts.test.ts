import { expect, test } from 'vitest';
import type { TestCounts } from '../../protocol/index.ts';
import { changed } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { doubtsOf } from './doubts.ts';
import { meddlingWith } from './meddling.ts';

const counts = (total: number, skipped = 0): TestCounts => ({
  framework: 'tap',
  total,
  passed: total - skipped,
  failed: 0,
  skipped,
  failing: [],
});

test('R6: a file that has a say in the checks and was changed refuses nothing, and is told with the result', () => {
  const story = startedStory();
  story.run({ claimed: true }).gate({ verdict: 'passed', doubts: ['jest.config.js'] });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'completing', verified: true });
  expect(doubtsOf(story.loop)).toEqual(['changed, and has a say in what the checks run: jest.config.js']);
  expect(meddlingWith(story.loop)).toEqual(doubtsOf(story.loop));
});

test.each<[string, TestCounts | undefined, TestCounts | undefined, readonly string[]]>([
  ['fewer tests', counts(12), counts(3), ['fewer tests than before the loop started: 3 of 12']],
  ['tests that are skipped now', counts(12), counts(12, 2), ['fewer tests than before the loop started: 10 of 12']],
  ['as many tests', counts(12), counts(12), []],
  ['more tests', counts(12), counts(13), []],
  ['no tests before', counts(0), counts(3), []],
  ['nothing known of before', undefined, counts(3), []],
  ['nothing known of now', counts(12), undefined, []],
])('R6: %s than before the first iteration are told or not', (_what, before, now, expected) => {
  const story = startedStory({ config: { baseline: true } });
  story.tell({
    type: 'baseline.finished',
    data: { verdict: 'failed', checks: [], elapsedMs: 0, ...(before === undefined ? {} : { tests: before }) },
  });
  story.run({ claimed: true }).gate({ verdict: 'passed', ...(now === undefined ? {} : { tests: now }) });
  expect(doubtsOf(story.loop)).toEqual(expected);
});

test('R6: a new file among the tests that a runner takes in by its name is told, unless the checks run without it', () => {
  const created = ['tests/deep/conftest.py', 'tests/test_new.py'];
  const story = startedStory();
  const changes = { ...changed(2), protected: { changed: [], created } };
  story.run({ claimed: true, changes }).gate({ verdict: 'passed', doubts: ['pytest.ini'] });
  const told = 'changed, and has a say in what the checks run: pytest.ini, tests/deep/conftest.py (new)';
  expect(doubtsOf(story.loop)).toEqual([told]);
  const base = { ref: 'refs/ralphd/x/base', commit: 'b' };
  story.tell({ type: 'gate.accepted', data: { guards: [], changed: [], base } });
  expect(doubtsOf(story.loop)).toEqual(['changed, and has a say in what the checks run: pytest.ini']);
});

test('B132: what the user accepts with strict protection are the tests as they are now', () => {
  const base = { ref: 'refs/ralphd/x/base', commit: 'b' };
  const story = startedStory().tell({ type: 'gate.accepted', data: { guards: [], changed: ['tests/a'], base } });
  expect(story.loop.base).toEqual(base);
});

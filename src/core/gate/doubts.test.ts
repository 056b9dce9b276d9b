import { expect, test } from 'vitest';
import type { TestCounts, Verdict } from '../../protocol/index.ts';
import { changed } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { describeDoubts, doubtText } from './doubt-words.ts';
import { doubtsOf, warningsOf } from './doubts.ts';

const counts = (total: number, skipped = 0): TestCounts => ({
  framework: 'tap',
  total,
  passed: total - skipped,
  failed: 0,
  skipped,
  failing: [],
});

test('R6: a changed file that affects the checks is named with the result, and refuses nothing', () => {
  const story = afterBaseline('failed');
  story.run({ claimed: true }).gate({ verdict: 'passed', doubts: ['jest.config.js'] });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'completing', outcome: { verified: true } });
  expect(describeDoubts(story.loop)).toEqual([
    {
      code: 'checks_affected',
      message: 'files that affect the checks were changed: jest.config.js',
      files: ['jest.config.js'],
    },
  ]);
});

/** A loop whose checks ran before its first iteration. */
function afterBaseline(verdict: Verdict, tests?: TestCounts) {
  const data = { verdict, checks: [], elapsedMs: 0, ...(tests === undefined ? {} : { tests }) };
  return startedStory({ config: { baseline: true } }).tell({ type: 'baseline.finished', data });
}

test.each<[string, Verdict, TestCounts | undefined, TestCounts | undefined, boolean]>([
  ['as many tests as before pass', 'passed', counts(12), counts(12), true],
  ['fewer tests pass', 'passed', counts(12), counts(11), true],
  ['no test is counted', 'passed', undefined, undefined, true],
  ['one more test passes', 'passed', counts(12), counts(13), false],
  ['tests are counted only now', 'passed', undefined, counts(1), false],
  ['the checks were red before', 'failed', counts(12), counts(12), false],
  ['the checks contradicted themselves before', 'contradicted', counts(12), counts(12), false],
])('R6: whether passing checks raise the doubt "already_green": %s', (_what, verdict, before, now, isDoubted) => {
  const story = afterBaseline(verdict, before);
  story.run({ claimed: true }).gate({ verdict: 'passed', ...(now === undefined ? {} : { tests: now }) });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'completing', outcome: { verified: true } });
  expect(doubtsOf(story.loop).some(({ code }) => code === 'already_green')).toBe(isDoubted);
});

test('R6: passing checks that did not run before the first iteration raise the doubt "no_baseline"', () => {
  const story = startedStory();
  story.run({ claimed: true }).gate({ verdict: 'failed' });
  expect(doubtsOf(story.loop)).toEqual([]);
  story.advance();
  story.run({ claimed: true }).gate({ verdict: 'passed' });
  expect(doubtsOf(story.loop)).toEqual([{ code: 'no_baseline' }]);
});

test('R6: tests that the loop changed are a doubt, with or without checks', () => {
  const protect = { changed: ['test/a.test.js'], created: [] };
  const story = afterBaseline('failed').run({ changes: { ...changed(1), protected: protect } });
  expect(doubtsOf(story.loop)).toEqual([{ code: 'edited_tests', files: ['test/a.test.js'] }]);
});

test('a list of many files names the first five', () => {
  const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  expect(doubtText({ code: 'edited_tests', files })).toMatch(/: a, b, c, d, e and 2 more$/);
});

test('warnings of the start, the baseline and the last gate are listed once each', () => {
  const story = startedStory({ config: { baseline: true } });
  const checked = { checks: [], warnings: ['one', 'two'] };
  story.tell({ type: 'baseline.finished', data: { verdict: 'failed', ...checked, elapsedMs: 0 } });
  story.run({ claimed: true });
  story.tell({ type: 'gate.started', data: story.attempt });
  const last = { ...story.attempt, verdict: 'failed' as const, checks: [], warnings: ['two', 'three'], durationMs: 1 };
  story.tell({ type: 'gate.finished', data: last });
  expect(warningsOf(story.loop)).toEqual(['one', 'two', 'three']);
});

test.each<[string, TestCounts | undefined, TestCounts | undefined, readonly unknown[]]>([
  ['fewer tests', counts(12), counts(3), [{ code: 'fewer_tests', before: 12, now: 3 }]],
  ['tests that are skipped now', counts(12), counts(12, 2), [{ code: 'fewer_tests', before: 12, now: 10 }]],
  ['as many tests', counts(12), counts(12), []],
  ['more tests', counts(12), counts(13), []],
  ['no tests before', counts(0), counts(3), []],
  ['an unknown count before', undefined, counts(3), []],
  ['an unknown count now', counts(12), undefined, []],
])('R6: whether %s than before the first iteration raise a doubt', (_what, before, now, expected) => {
  const story = afterBaseline('failed', before);
  story.run({ claimed: true }).gate({ verdict: 'passed', ...(now === undefined ? {} : { tests: now }) });
  expect(doubtsOf(story.loop)).toEqual(expected);
});

test('R6: a new test file that a runner loads by name raises a doubt, unless the checks run without it', () => {
  const created = ['tests/deep/conftest.py', 'tests/test_new.py'];
  const story = afterBaseline('failed');
  const changes = { ...changed(2), protected: { changed: [], created } };
  story.run({ claimed: true, changes }).gate({ verdict: 'passed', doubts: ['pytest.ini'] });
  const files = ['pytest.ini', 'tests/deep/conftest.py (new)'];
  expect(doubtsOf(story.loop)).toEqual([{ code: 'checks_affected', files }]);
  const base = { ref: 'refs/ralphd/x/base', commit: 'b' };
  story.tell({ type: 'gate.accepted', data: { guards: [], changed: [], base } });
  expect(doubtsOf(story.loop)).toEqual([{ code: 'checks_affected', files: ['pytest.ini'] }]);
});

test('B132: with strict protection, accepting the checks accepts the current tests', () => {
  const base = { ref: 'refs/ralphd/x/base', commit: 'b' };
  const story = startedStory().tell({ type: 'gate.accepted', data: { guards: [], changed: ['tests/a'], base } });
  expect(story.loop.gate.base).toEqual(base);
});

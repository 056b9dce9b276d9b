import { expect, test } from 'vitest';
import type { Verdict } from '../../protocol/index.ts';
import { counts } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { nextTestFailureStreak, type TestComparison } from './test-streak.ts';

interface Row extends Omit<TestComparison, 'verdict'> {
  readonly verdict?: Verdict;
}

const none = undefined;

test.each<[string, Row, number]>([
  ['as many tests fail although the tree changed', { before: counts(3), after: counts(3), treeChanged: true }, 3],
  ['more tests fail', { before: counts(3), after: counts(4), treeChanged: true }, 3],
  ['a test fails that was green', { before: counts(0), after: counts(1), treeChanged: true }, 3],
  ['as many tests fail and nothing changed', { before: counts(3), after: counts(3), treeChanged: false }, 2],
  ['fewer tests fail', { before: counts(3), after: counts(2), treeChanged: true }, 0],
  [
    'no test fails, and the gate refuses for another reason',
    { before: counts(3), after: counts(0), treeChanged: true },
    0,
  ],
  ['no test fails and none did', { before: counts(0), after: counts(0), treeChanged: true }, 0],
  ['no test ran', { before: counts(3), after: counts(0, 0), treeChanged: true }, 2],
  ['the gate has no tests', { before: counts(3), after: none, treeChanged: true }, 2],
  ['there is nothing to compare with', { before: none, after: counts(3), treeChanged: true }, 2],
  ['the gate timed out without counts', { before: counts(3), after: none, treeChanged: true, verdict: 'timed_out' }, 2],
  ['the gate passed', { before: counts(3), after: none, treeChanged: true, verdict: 'passed' }, 0],
])('A030 R17: from a streak of 2, when %s', (_case, { verdict = 'failed', ...comparison }, expected) => {
  expect(nextTestFailureStreak(2, { ...comparison, verdict })).toBe(expected);
});

test('the first gate is compared with the failing tests of the baseline', () => {
  const story = startedStory({ config: { baseline: true } });
  story.tell({ type: 'baseline.finished', data: { verdict: 'failed', checks: [], tests: counts(3), elapsedMs: 0 } });
  story.run({ claimed: true }).gate({ verdict: 'failed', tests: counts(3) });
  expect(story.loop.totals.stats.testFailureStreak).toBe(1);
});

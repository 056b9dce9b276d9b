import { expect, test } from 'vitest';
import type { TestCounts } from '../../protocol/index.ts';
import { explain } from '../explain/explain.ts';
import { changed } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { summariseTests, trackedTests } from './test-summary.ts';

function counted(failing: readonly string[]): TestCounts {
  const { length: failed } = failing;
  const failures = failing.map((name) => ({ name, file: 'calc.test.js', error: `${name} is wrong\nat line 3` }));
  return { framework: 'jest', total: 10, passed: 10 - failed, failed, skipped: 0, failing: [...failing], failures };
}

function storyOf(...runs: readonly (readonly string[])[]) {
  const story = startedStory({ config: { stopConditions: { maxTestFailureStreak: 0 } } });
  for (const failing of runs) {
    story.run({ claimed: true, changes: changed(1) }).gate({ verdict: 'failed', tests: counted(failing) });
    story.advance();
  }
  return story;
}

test('B046: the summary has the totals, the streak, what was fixed and broken, the flaky and the stubborn', () => {
  const { loop } = storyOf(['a', 'b', 'c'], ['a', 'c'], ['a', 'b', 'c'], ['a', 'c'], ['a', 'b', 'd']);
  expect(summariseTests(loop)).toEqual({
    framework: 'jest',
    total: 10,
    passed: 7,
    failed: 3,
    skipped: 0,
    failureStreak: 1,
    fixed: ['c'],
    broken: ['b', 'd'],
    flaky: ['b'],
    stubborn: [expect.objectContaining({ name: 'a', failStreak: 5 })],
  });
});

test('B044: the record of each test that failed once is complete', () => {
  const { loop } = storyOf(['a', 'b'], ['a'], ['a']);
  expect(trackedTests(loop.tests.memory)).toEqual([
    {
      id: 'calc.test.js > a',
      name: 'a',
      file: 'calc.test.js',
      status: 'failed',
      passStreak: 0,
      failStreak: 3,
      passes: 0,
      failures: 3,
      flaky: false,
      lastError: 'a is wrong\nat line 3',
      results: 'fff',
    },
    expect.objectContaining({ name: 'b', status: 'passed', passStreak: 2, passes: 2, failures: 1, results: 'fpp' }),
  ]);
});

test('B046: the error of each failure is remembered with the test, and not with the counts', () => {
  const { loop } = storyOf(['a', 'b']);
  expect(loop.tests.latest).not.toHaveProperty('failures');
  expect(loop.verification.latest?.result.tests).not.toHaveProperty('failures');
});

test('B044: a test that the newest run does not report is neither passed nor failed', () => {
  const story = storyOf(['a']);
  const { failures: _failures, ...nameless } = counted(['x']);
  story.run({ claimed: true }).gate({ verdict: 'failed', tests: { ...nameless, failing: [] } });
  expect(trackedTests(story.loop.tests.memory)).toMatchObject([{ name: 'a', status: 'unknown' }]);
});

test('B046: broken, stubborn and flaky tests are the evidence of an explanation', () => {
  const story = storyOf(['a', 'b'], ['a'], ['a', 'b'], ['a'], ['a', 'b', 'd']);
  expect(explain(story.loop, { nowMs: story.nowMs }).evidence).toEqual(
    expect.arrayContaining([
      { kind: 'broken_tests', names: ['d'] },
      {
        kind: 'stubborn_tests',
        tests: [expect.objectContaining({ name: 'a', failStreak: 5, lastError: 'a is wrong\nat line 3' })],
      },
      { kind: 'flaky_tests', names: ['b'] },
    ]),
  );
});

test('B046: a loop that counted no tests has no summary', () => {
  expect(summariseTests(startedStory().loop)).toBeUndefined();
});

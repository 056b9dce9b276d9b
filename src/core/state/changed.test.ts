import { expect, test } from 'vitest';
import { budgetLeft } from '../rules/budget.ts';
import { standings } from '../rules/stop-rules.ts';
import { changed } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { addChanges, nothingChanged } from './changed.ts';

test('B060: a file that is changed again counts once, and files without a recorded name count each time', () => {
  const once = addChanges(nothingChanged, changed(3), 10);
  expect(addChanges(once, changed(3), 10).files).toHaveLength(3);
  expect(addChanges(once, changed(3, { count: 5 }), 10)).toMatchObject({ unlisted: 2 });
});

test('B060: names are kept only for a limit, and no more once it is reached', () => {
  expect(addChanges(nothingChanged, changed(3), undefined).files).toEqual([]);
  const full = addChanges(nothingChanged, changed(3), 2);
  expect(full.files).toHaveLength(3);
  expect(addChanges(full, changed(1, { modified: ['another.ts'] }), 2).files).toEqual(full.files);
});

test('B060: added and removed lines are summed; what could not be counted is unknown, not 0', () => {
  const lines = { added: 30, removed: 10 };
  expect(addChanges(nothingChanged, changed(1, { lines }), undefined)).toMatchObject({ lines: 40, uncountedLines: 0 });
  const story = startedStory({ config: { maxLinesChanged: 100, maxFilesChanged: 5, stopConditions: {} } });
  story.run({ changes: changed(1) });
  expect(standings(story.loop).filter(({ rule }) => rule === 'max_lines_changed')).toEqual([
    {
      rule: 'max_lines_changed',
      kind: 'limit',
      near: null,
      evidence: 'unknown of 100 changed lines (1 run could not be counted)',
    },
  ]);
});

test('B060: a limit on changes ends the loop after the iteration that reaches it, and the agent is never cut off', () => {
  const story = startedStory({ config: { maxFilesChanged: 2 } });
  expect(budgetLeft(story.loop, 0)).toEqual({});
  story.run({ changes: changed(3) });
  expect(story.advance()).toEqual({ type: 'none' });
  expect(story.loop.outcome).toMatchObject({ reason: 'max_files_changed', message: '3 of 2 changed files' });
  expect(story.loop.position.finished).toBe(1);
});

test('B060: completion in the iteration that reaches such a limit is completion', () => {
  const story = startedStory({ config: { maxFilesChanged: 2 } }).run({ changes: changed(3), claimed: true });
  story.gate({ verdict: 'passed' });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'completing', outcome: { verified: true } });
});

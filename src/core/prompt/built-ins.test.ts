import { expect, test } from 'vitest';
import { builtInVariables } from '../../protocol/index.ts';
import { changed } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { builtInValues } from './built-ins.ts';
import { fillPrompt } from './fill-prompt.ts';
import { type PromptPart, parseTemplate } from './template.ts';

const nowMs = Date.parse('2026-03-01T23:59:58.007Z');

test('B009: every built-in variable has a value, and instants are in UTC', () => {
  const { loop } = startedStory();
  const values = builtInValues(loop, { iteration: 7, nowMs, sessionId: 'ses_1' });
  expect(values).toEqual({
    iteration: '7',
    max_iterations: '100',
    total_iterations: '100',
    loop_id: loop.id,
    session_id: 'ses_1',
    timestamp: '2026-03-01T23:59:58.007Z',
    date: '2026-03-01',
    time: '23:59:58',
    working_dir: loop.origin.workingDirectory,
  });
  expect(Object.keys(values)).toEqual([...builtInVariables]);
});

test('B009: the maximum of a loop without an iteration limit is "unlimited", and a fresh session has no id', () => {
  const { loop } = startedStory({ config: { maxIterations: 0, maxTime: '1h' } });
  expect(builtInValues(loop, { iteration: 1, nowMs })).toMatchObject({
    max_iterations: 'unlimited',
    total_iterations: 'unlimited',
    session_id: '',
  });
});

test('B009: a template can use the result of the latest iteration that counted', () => {
  const text =
    '{{#if last_result.success}}ok{{else}}no{{/if}} {{join last_result.files_changed}} {{last_result.tests_passed}}/{{last_result.tests_failed}} {{last_result.summary}} {{iteration}}';
  const parts = parseTemplate(text, { template: 'task.md' }).filter((part): part is PromptPart => !('include' in part));
  const fill = (story: Story) => fillPrompt({ parts, template: { values: {} } }, story.loop, { iteration: 2, nowMs });
  const story = startedStory();
  expect(fill(story)).toBe('no  /  2');
  const summary = 'did {{iteration}}';
  const tests = { framework: 'jest', total: 3, passed: 2, failed: 1, skipped: 0, failing: ['x'] };
  story
    .reach('executed', { claimed: true, summary, changes: changed(2) })
    .gate({ verdict: 'failed', tests })
    .advance();
  expect(fill(story)).toMatch(/^ok \S+, \S+ 2\/1 did \{\{iteration\}\} 2$/u);
});

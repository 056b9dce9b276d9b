import { expect, test } from 'vitest';
import { builtInVariables } from '../../protocol/index.ts';
import { startedStory } from '../testing/story.ts';
import { builtInValues } from './built-ins.ts';

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

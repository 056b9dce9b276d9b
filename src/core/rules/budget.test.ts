import { expect, test } from 'vitest';
import type { LoopConfigInput, Usage } from '../../protocol/index.ts';
import { startedStory } from '../testing/story.ts';
import { budgetLeft, isUsedUp } from './budget.ts';

const all = { maxTime: '10m', maxTokens: 100, maxOutputTokens: 50, maxToolCalls: 9, maxCostUsd: 2 } as const;
const cut = { outcome: 'interrupted', ending: { kind: 'stopped', by: 'budget', forced: false } } as const;

test('B116: what earlier runs used is no longer left, for a new owner as for the previous one', () => {
  const story = startedStory({ config: all });
  story.run({ usage: { inputTokens: 30, outputTokens: 10, toolCalls: 4, costUsd: 0.5 } }).advance(60_000);
  const left = { timeMs: 480_000, tokens: 60, outputTokens: 40, toolCalls: 5, costUsd: 1.5 };
  expect(budgetLeft(story.loop, 60_000)).toEqual(left);
  expect(budgetLeft(story.takeOver().loop, 60_000)).toEqual(left);
  expect(budgetLeft(startedStory().loop, 0)).toEqual({});
  expect(budgetLeft(startedStory({ config: { ...all, budgetPolicy: 'finish' } }).loop, 0)).toEqual({});
});

test.each<[string, Usage, number, boolean]>([
  ['nothing is reported', {}, 0, false],
  ['all is below', { inputTokens: 49, outputTokens: 50, toolCalls: 8, costUsd: 1.99 }, 599_999, false],
  ['tokens, caches included', { inputTokens: 10, cacheReadTokens: 80, cacheWriteTokens: 10 }, 0, true],
  ['output', { outputTokens: 51 }, 0, true],
  ['tool calls', { toolCalls: 9 }, 0, true],
  ['money', { costUsd: 2 }, 0, true],
  ['time', {}, 600_000, true],
])('B116: a run has used up its budget as soon as one bound is reached: %s', (_what, used, ranMs, isSpent) => {
  const left = budgetLeft(startedStory({ config: { ...all, maxOutputTokens: 51 } }).loop, 0);
  expect(isUsedUp(left, used, ranMs)).toBe(isSpent);
});

test('B116: an agent that its budget ended has not failed; its work is judged, and the limit ends the loop', () => {
  const config = {
    maxIterations: 1,
    maxToolCalls: 2,
    stopConditions: { failure: [], stop: [{ type: 'on_error' as const }] },
  };
  const story = startedStory({ config }).run({ ...cut, usage: { toolCalls: 5 } });
  story.advance();
  expect(story.loop).toMatchObject({
    status: 'failed',
    outcome: { reason: 'max_tool_calls', message: '5 of 2 tool calls' },
  });
  expect(story.loop.totals.stats).toMatchObject({ iterations: 1, failedIterations: 0, successfulIterations: 1 });
  expect(story.loop).not.toHaveProperty('lastFailure');
});

test('B116: a claim that an agent made before its budget ended it is checked by the gate, and a proof completes the loop', () => {
  const story = startedStory({ config: { maxTokens: 1 } }).run({ ...cut, claimed: true, usage: { inputTokens: 5 } });
  expect(story.advance()).toMatchObject({ type: 'verify' });
  story.gate({ verdict: 'passed' });
  expect(story.advance()).toEqual({ type: 'finalize' });
});

test('B116: the claim of an agent that was cut off is not trusted', () => {
  const config = { trustPromise: true, maxTokens: 1 };
  const story = startedStory({ config, checks: [] }).run({ ...cut, claimed: true, usage: { inputTokens: 5 } });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'max_tokens' } });
});

test('B116: a provider limit that came first stays one, even if the agent was cut off', () => {
  const story = startedStory({ config: { maxTokens: 9 } }).run({ ...cut, outcome: 'usage_limited', error: 'later' });
  expect(story.advance()).toMatchObject({ type: 'wait', cause: 'limit' });
});

test.each<[string, LoopConfigInput, Usage, number, string]>([
  ['by default', { maxTokens: 5 }, { inputTokens: 9 }, 0, 'completing'],
  ['with "finish"', { maxTokens: 5, budgetPolicy: 'finish' }, { inputTokens: 9 }, 0, 'completing'],
  ['strictly, within it', { maxTokens: 9, budgetPolicy: 'strict' }, { inputTokens: 9 }, 0, 'completing'],
  ['strictly, beyond it', { maxTokens: 5, budgetPolicy: 'strict' }, { inputTokens: 9 }, 0, 'max_tokens'],
  [
    'strictly, too much output',
    { maxOutputTokens: 5, budgetPolicy: 'strict' },
    { outputTokens: 6 },
    0,
    'max_output_tokens',
  ],
  ['strictly, too many tools', { maxToolCalls: 5, budgetPolicy: 'strict' }, { toolCalls: 6 }, 0, 'max_tool_calls'],
  ['strictly, too dear', { maxCostUsd: 1, budgetPolicy: 'strict' }, { costUsd: 1.01 }, 0, 'max_cost'],
  ['strictly, too late', { maxTime: '1s', budgetPolicy: 'strict' }, {}, 1_001, 'max_time'],
  ['strictly, the last iteration', { maxIterations: 1, budgetPolicy: 'strict' }, {}, 0, 'completing'],
  ['strictly, nothing reported', { maxTokens: 1, budgetPolicy: 'strict' }, {}, 0, 'completing'],
])(
  'B116: completion wins over the budget unless the budget is strict and overrun: %s',
  (_how, config, usage, ms, end) => {
    const story = startedStory({ config }).run({ claimed: true, usage }).gate({ verdict: 'passed' });
    story.advance(ms);
    expect(story.loop.outcome.reason ?? story.loop.status).toBe(end);
  },
);

test('B116: the usage of a run that was lost is unknown, and one that never started has used nothing', () => {
  const lost = startedStory().reach('executing').takeOver();
  const data = { ...lost.attempt, ...cut, ending: { kind: 'lost' as const }, claimed: false, durationMs: 0 };
  const changes = { known: false, headMoved: false, modified: [], created: [], deleted: [], count: 0 };
  lost.tell({ type: 'agent.finished', data: { ...data, changes } });
  expect(lost.loop.totals.spent).toMatchObject({ runs: 1, tokens: 0, unreportedTokens: 1, unreportedToolCalls: 1 });
  const never = startedStory().run({ ending: { kind: 'not_started', code: 'ENOENT', message: 'no such program' } });
  expect(never.loop.totals.spent).toMatchObject({ runs: 0, unreportedTokens: 0 });
});

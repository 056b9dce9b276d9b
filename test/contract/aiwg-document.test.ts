import { expect, test } from 'vitest';
import { standings } from '../../src/core/index.ts';
import { startedStory } from '../../src/core/testing/story.ts';
import { type DocumentDetails, fromStateDocument, toStateDocument } from '../../src/formats/index.ts';

const saved = (document: unknown): unknown => JSON.parse(JSON.stringify(document));

test('A129: a loop is read back from its snapshot unchanged', () => {
  const story = startedStory({
    config: { maxTime: '1h 30m', completionPromise: null, iteration: { env: { A: 'b' } } },
  });
  const { loop } = story.run({ claimed: true }).gate({ verdict: 'failed', output: '2 errors' });
  expect(fromStateDocument(saved(toStateDocument(loop)))).toEqual(loop);
});

test('A150 A151: unknown values are omitted and never null', () => {
  const document = toStateDocument(startedStory({ checks: [] }).loop);
  expect(Object.keys(document)).toEqual([
    'version',
    'loop_id',
    'status',
    'iteration',
    'task',
    'started_at',
    'last_updated',
    'owner',
    'working_directory',
    'configuration',
    'progress',
    'metrics',
    'ralphd',
  ]);
});

test.each<[DocumentDetails, Record<string, unknown>]>([
  [{ pid: 42 }, { pid: 42 }],
  [{ lastCheckpoint: 'checkpoints/iteration-001.json.gz' }, { last_checkpoint: 'checkpoints/iteration-001.json.gz' }],
])('A151 A152: what only the owner knows is added to it: %j', (details, expected) => {
  expect(toStateDocument(startedStory().loop, details)).toMatchObject(expected);
});

test('A149: the criteria are the commands of the gate, joined as a shell would', () => {
  const { loop } = startedStory({ checks: ['npm test', ['npx', 'tsc', '--noEmit']] });
  expect(toStateDocument(loop)).toMatchObject({ completion_criteria: 'npm test && npx tsc --noEmit' });
});

test('A162: tokens and cost are there only when the agent reported them', () => {
  const silent = startedStory().run().loop;
  expect(toStateDocument(silent)['metrics']).not.toHaveProperty('total_tokens');
  const story = startedStory().run({ usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.25 } });
  expect(toStateDocument(story.loop)).toMatchObject({ metrics: { total_tokens: 15, total_cost_usd: 0.25 } });
});

test('A153: an error is present only if the loop failed or crashed', () => {
  const story = startedStory({ config: { maxIterations: 1 } }).run();
  expect(toStateDocument(story.loop)).not.toHaveProperty('error_context');
  story.advance();
  expect(toStateDocument(story.loop)).toMatchObject({
    status: 'failed',
    error_context: {
      error_message: '1 of 1 iterations',
      error_timestamp: story.loop.outcome.endedAt,
      recovery_attempted: false,
    },
  });
});

test.each([null, [], {}, { ralphd: {} }, { ralphd: { loop: { id: 'x', seq: 1, config: { agent: 'nobody' } } } }])(
  'a document that is not ours is not guessed at: %j',
  (document) => {
    expect(fromStateDocument(document)).toBeUndefined();
  },
);

test.each([
  ['stats', { iterations: 'many' }],
  ['status', 'asleep'],
  ['recentScores', ['good']],
  ['current', { stage: 'dreaming' }],
])('a snapshot whose %s is %j is not guessed at either', (field, value) => {
  const { ralphd, ...rest } = saved(toStateDocument(startedStory().loop)) as { ralphd: { loop: object } };
  const written = (more: object) => ({ ...rest, ralphd: { loop: { ...ralphd.loop, ...more } } });
  expect(fromStateDocument(written({}))).toBeDefined();
  expect(fromStateDocument(written({ [field]: value }))).toBeUndefined();
});

test('B116: a snapshot from before tool calls and output were counted reads them as unknown for all its runs', () => {
  const config = { maxToolCalls: 9 };
  const story = startedStory({ config }).run({ usage: { inputTokens: 10, costUsd: 0.25 } });
  const { ralphd, ...rest } = saved(toStateDocument(story.loop)) as { ralphd: { loop: object } };
  const spent = { tokens: 10, costUsd: 0.25, runs: 1, unreportedTokens: 0, unreportedCost: 0 };
  const old = { ...rest, ralphd: { ...ralphd, loop: { ...ralphd.loop, spent } } };
  const whole = { ...spent, outputTokens: 0, toolCalls: 0, unreportedOutputTokens: 1, unreportedToolCalls: 1 };
  const loop = fromStateDocument(old);
  expect(loop?.totals.spent).toEqual(whole);
  expect(loop && standings(loop)).toContainEqual(expect.objectContaining({ rule: 'max_tool_calls', near: null }));
});

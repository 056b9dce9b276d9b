import { expect, test } from 'vitest';
import { changed, counts } from '../../core/testing/facts.ts';
import { type Story, startedStory } from '../../core/testing/story.ts';
import { toStateDocument } from './document.ts';

const started = '2026-11-01T12:00:00.000Z';

/** The document as a reader of the file gets it. */
function documentOf({ loop }: Story): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(toStateDocument(loop))) as Record<string, unknown>;
}

function advanced(story: Story): Story {
  story.advance();
  return story;
}

test('A144 A145 A146 A148: a document has the version of its schema, the id of its loop, a status and an iteration', () => {
  const document = documentOf(startedStory().run());
  expect(document).toMatchObject({
    version: expect.stringMatching(/^2\.\d+\.\d+$/) as string,
    loop_id: expect.stringMatching(/^ralph-[a-z0-9-]+-[0-9a-f]{8}$/) as string,
    status: 'running',
    iteration: 1,
  });
  expect(documentOf(startedStory())).toMatchObject({ iteration: 0 });
});

test('A147: each way in which a loop rests or ends has its status', () => {
  const proven = () => advanced(startedStory().run({ claimed: true }).gate({ verdict: 'passed' }));
  const over = { reason: 'completed', message: '', verified: true, elapsedMs: 0 } as const;
  const stories = [
    startedStory(),
    advanced(startedStory().command({ command: 'pause' })),
    proven(),
    proven().tell({ type: 'loop.ended', data: { status: 'completed', ...over } }),
    advanced(startedStory({ config: { maxIterations: 1 } }).run()),
    advanced(startedStory().command({ command: 'abort' })),
    startedStory().tell({ type: 'loop.ended', data: { ...over, status: 'crashed', reason: 'recovery_failed' } }),
  ];
  expect(stories.map((story) => documentOf(story)['status'])).toEqual([
    'running',
    'paused',
    'completing',
    'completed',
    'failed',
    'aborted',
    'crashed',
  ]);
});

test('A149 A150 A151: it has the task, its criteria, who works where, and when it began, changed and ended', () => {
  const story = startedStory({ task: 'Fix it', checks: ['make check'] });
  expect(documentOf(story)).toMatchObject({
    task: 'Fix it',
    completion_criteria: 'make check',
    owner: 'user',
    working_directory: '/project',
    started_at: started,
    last_updated: started,
  });
  expect(documentOf(story)).not.toHaveProperty('completed_at');
  advanced(story.pass(60_000).command({ command: 'abort' }));
  const ended = '2026-11-01T12:01:00.000Z';
  expect(documentOf(story)).toMatchObject({ started_at: started, last_updated: ended, completed_at: ended });
});

test('A154 A155 A156 A157 A158 A159: the configuration is in the units of the schema', () => {
  expect(documentOf(startedStory())['configuration']).toEqual({
    max_iterations: 100,
    interactive: false,
    auto_test: true,
    checkpoint_interval: 1,
    execution_mode: 'default',
  });
  const config = {
    maxIterations: 7,
    maxTime: '90s',
    attended: true,
    autoTest: false,
    checkpointInterval: 3,
    executionMode: 'logged',
  } as const;
  expect(documentOf(startedStory({ config }))['configuration']).toEqual({
    max_iterations: 7,
    timeout_minutes: 2,
    interactive: true,
    auto_test: false,
    checkpoint_interval: 3,
    execution_mode: 'logged',
  });
});

test.each([
  ['unattended', false],
  ['attended', true],
  ['hybrid', true],
] as const)('A156: a loop in the mode %s is interactive: %s', (mode, interactive) => {
  expect(documentOf(startedStory({ config: { mode } }))['configuration']).toMatchObject({ interactive });
});

test('A005 R9: a loop without an iteration limit has the largest number that the schema knows', () => {
  const document = documentOf(startedStory({ config: { maxIterations: 0, maxTime: '1h' } }));
  expect(document).toMatchObject({
    configuration: { max_iterations: 2_147_483_647 },
    ralphd: { unlimitedIterations: true },
  });
});

test('A160 A171: every completion check is listed with its result, and the newest once more', () => {
  const story = startedStory().run({ claimed: true }).gate({ verdict: 'failed', output: '2 errors' });
  advanced(story);
  story.run({ claimed: true }).gate({ verdict: 'passed', output: 'fine' });
  const checks = [
    { iteration: 1, timestamp: started, passed: false, output: 'npm test: failed\n2 errors' },
    { iteration: 2, timestamp: started, passed: true, output: 'npm test: passed\nfine' },
  ];
  expect(documentOf(story)['progress']).toMatchObject({
    completion_checks: checks,
    last_completion_check: checks[1],
  });
  expect(documentOf(advanced(story))).toMatchObject({ status: 'completing' });
});

test('A161: while a loop runs, the document estimates the rest from what its iterations took', () => {
  const story = startedStory({ config: { maxIterations: 5 } });
  expect(documentOf(story)['progress']).not.toHaveProperty('estimated_completion');
  for (const durationMs of [20_000, 40_000]) advanced(story.run({ durationMs }));
  expect(documentOf(story)['progress']).toMatchObject({
    estimated_completion: 'at most 3 more iterations, about 1m 30s',
  });
});

test('A162: the metrics are totals over all iterations, with the average time of one', () => {
  const story = startedStory();
  advanced(story.run({ durationMs: 10_000, usage: { inputTokens: 100, outputTokens: 20, costUsd: 0.5 } }));
  const failed = { ending: { kind: 'exited', code: 1 }, outcome: 'refused', changes: changed(0) } as const;
  advanced(story.run({ ...failed, durationMs: 4_600, usage: { inputTokens: 30, outputTokens: 5, costUsd: 0.25 } }));
  expect(documentOf(story)['metrics']).toEqual({
    total_iterations: 2,
    successful_iterations: 1,
    failed_iterations: 1,
    total_tokens: 155,
    total_cost_usd: 0.75,
    total_duration_seconds: 15,
    average_iteration_time_seconds: 7.3,
  });
});

test('A153: a loop that failed has its error, when it failed, what led to it, and whether it was recovered before', () => {
  const config = { maxIterations: 2, stopConditions: { maxSameErrorStreak: 0 } } as const;
  const story = startedStory({ config }).takeOver();
  const run = { ending: { kind: 'exited', code: 3 }, outcome: 'unknown', error: 'no such table: users' } as const;
  advanced(story.run(run));
  advanced(story.run(run));
  expect(documentOf(story)['error_context']).toEqual({
    error_message: '2 of 2 iterations',
    error_timestamp: started,
    stack_trace: 'iteration 2: no such table: users',
    recovery_attempted: true,
  });
});

test('A153: a loop that ended after failing tests names them', () => {
  const story = startedStory({ config: { maxIterations: 1 } });
  advanced(story.run({ claimed: true }).gate({ verdict: 'failed', output: 'not ok 1 - adds', tests: counts(1) }));
  expect(documentOf(story)['error_context']).toMatchObject({
    stack_trace: 'the checks in iteration 1: npm test: failed\nnot ok 1 - adds',
  });
});

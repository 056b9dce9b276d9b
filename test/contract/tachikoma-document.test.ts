import { expect, test } from 'vitest';
import { changed, counts } from '../../src/core/testing/facts.ts';
import { type Story, startedStory } from '../../src/core/testing/story.ts';
import { toTachikomaDocument } from '../../src/formats/index.ts';

const savedAt = '2026-11-02T08:00:00.000Z';

function documentOf({ loop }: Story) {
  return toTachikomaDocument(loop, savedAt);
}

/** An iteration whose gate failed or, with no failing test, passed. */
function iterate(story: Story, failing: number, run: Parameters<Story['run']>[0] = {}): Story {
  story.run({ claimed: true, ...run });
  story.gate({ verdict: failing === 0 ? 'passed' : 'failed', tests: counts(failing) });
  story.advance();
  return story;
}

test('A105 A106: the document has a version, the loop, when it was saved, every section, and room for more', () => {
  const document = documentOf(startedStory());
  expect(document).toMatchObject({ version: 1, loop_id: 'ralph-fix-tests-a1b2c3d4', saved_at: savedAt });
  expect(Object.keys(document)).toEqual([
    'version',
    'loop_id',
    'saved_at',
    'core',
    'session',
    'progress',
    'tests',
    'stop_conditions',
    'metrics',
    'custom',
  ]);
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});

test('A107: the core section says where and since when the loop works, and shows a changed configuration', () => {
  const story = startedStory({ config: { promptPath: 'TASK.md' } });
  const { core } = documentOf(story);
  expect(core).toEqual({
    status: 'running',
    iteration: 0,
    started_at: '2026-11-01T12:00:00.000Z',
    last_activity: '2026-11-01T12:00:00.000Z',
    working_dir: '/project',
    prompt_path: 'TASK.md',
    config_hash: 'hash',
  });
  story.tell({ type: 'config.changed', data: { config: { maxIterations: 7 }, configHash: 'another' } });
  expect(documentOf(story).core.config_hash).toBe('another');
});

test('A108: every status has its word there, and none of them is idle', () => {
  const words: string[] = [];
  const note = (story: Story) => words.push(documentOf(story).core.status);
  const story = startedStory();
  note(story);
  note(story.tell({ type: 'reboot.started', data: { cause: 'manual' } }));
  const resting = startedStory().command({ command: 'pause', now: true });
  resting.advance();
  note(resting);
  const stopped = startedStory().command({ command: 'abort' });
  stopped.advance();
  note(stopped);
  const failed = startedStory({ config: { maxIterations: 1 } }).run();
  failed.advance();
  note(failed);
  const completed = iterate(startedStory(), 0);
  note(completed);
  const end = { reason: 'completed', message: '', verified: true, elapsedMs: 0 } as const;
  note(completed.tell({ type: 'loop.ended', data: { status: 'completed', ...end } }));
  expect(words).toEqual(['running', 'rebooting', 'paused', 'stopped', 'error', 'running', 'completed']);
});

test('A109 A110 A125: the session section follows its id, its usage and its iterations, and keeps ended ones', () => {
  const story = startedStory({ config: { session: { strategy: 'continue' } } });
  const context = { used: 50_000, size: 200_000 };
  story.run({ sessionId: 'first', usage: { context } });
  story.advance();
  story.run({ sessionId: 'first', usage: { context: { ...context, used: 190_000 } } });
  expect(documentOf(story).session).toMatchObject({
    current_session_id: 'first',
    session_started_at: '2026-11-01T12:00:00.000Z',
    session_iterations: 2,
    context_usage: 95,
    session_history: [],
  });
  story.advance();
  story.tell({ type: 'reboot.started', data: { cause: 'redline' } });
  story.tell({ type: 'reboot.finished', data: { cause: 'redline', ok: true } });
  story.run({ sessionId: 'second' });
  const { session } = documentOf(story);
  expect(session).toMatchObject({ current_session_id: 'second', session_iterations: 1 });
  expect(session.session_history).toEqual([
    expect.objectContaining({ session_id: 'first', iterations: 2, end_reason: 'redline' }),
  ]);
});

test('A109: only the newest sessions are kept', () => {
  const story = startedStory({ config: { stopConditions: { maxNoProgressIterations: 0 } } });
  for (let number = 1; number <= 30; number += 1) {
    story.run({ sessionId: `session-${number}` });
    story.advance();
  }
  const { session_history: history } = documentOf(story).session;
  expect(history).toHaveLength(20);
  expect(history.at(-1)).toMatchObject({ session_id: 'session-29', end_reason: 'iteration', iterations: 1 });
});

test('A111 A125: progress raises or zeroes the streak, notes the iteration, and keeps twenty scores', () => {
  const story = startedStory({ config: { stopConditions: { maxNoProgressIterations: 0 } } });
  const nothing = { changes: changed(0) };
  for (let number = 1; number <= 25; number += 1) {
    story.run(number === 24 ? {} : nothing);
    story.advance();
  }
  expect(documentOf(story).progress).toMatchObject({
    iterations_since_progress: 1,
    last_progress_iteration: 24,
    recent_scores: [...Array.from({ length: 18 }, () => 0), 0.3, 0],
    modified_files: ['file-0.ts'],
  });
});

test('A111: an iteration whose progress is unknown gets no score', () => {
  const story = startedStory().run({ changes: changed(0, { known: false }) });
  story.advance();
  expect(documentOf(story).progress).toMatchObject({ recent_scores: [], last_progress_iteration: null });
});

test('A111: the changed files are listed once each, newest last, and never more than two hundred', () => {
  const story = startedStory();
  story.run({ changes: changed(1, { modified: ['b', 'a'], created: ['new'], deleted: ['old'] }) });
  story.advance();
  story.run({ changes: changed(1, { modified: ['a'] }) });
  expect(documentOf(story).progress.modified_files).toEqual(['b', 'new', 'old', 'a']);
  story.advance();
  story.run({ changes: changed(1_000) });
  expect(documentOf(story).progress.modified_files).toHaveLength(200);
});

test('A111: the checks of the gate are the objectives, done as far as they passed when last tried', () => {
  const story = startedStory({ checks: ['npm test', ['npx', 'tsc']] });
  expect(documentOf(story).progress).toMatchObject({
    completed_objectives: [],
    pending_objectives: ['npm test', 'npx tsc'],
  });
  story.run({ claimed: true });
  story.tell({ type: 'gate.started', data: story.attempt });
  const check = { durationMs: 1, output: '' };
  const checks = [
    { ...check, command: 'npm test', verdict: 'failed' as const },
    { ...check, command: 'npx tsc', verdict: 'passed' as const },
  ];
  story.tell({ type: 'gate.finished', data: { ...story.attempt, verdict: 'failed', checks, durationMs: 2 } });
  expect(documentOf(story).progress).toMatchObject({
    completed_objectives: ['npx tsc'],
    pending_objectives: ['npm test'],
  });
});

test('A112 A125: the test section is replaced by each run: its streak, its failing and passing tests, and what got fixed', () => {
  const story = iterate(iterate(startedStory(), 3), 3);
  expect(documentOf(story).tests).toEqual({
    failure_streak: 1,
    passing_tests: [],
    failing_tests: ['test 0', 'test 1', 'test 2'],
    flaky_tests: [],
    recently_fixed: [],
  });
  story.run({ claimed: true });
  story.gate({ verdict: 'failed', tests: { ...counts(1), passing: ['test 7'] } });
  expect(documentOf(story).tests).toEqual({
    failure_streak: 0,
    passing_tests: ['test 7'],
    failing_tests: ['test 0'],
    flaky_tests: [],
    recently_fixed: ['test 1', 'test 2'],
  });
});

test('A112: a test that passes and fails in turn is listed as flaky', () => {
  const story = startedStory({
    config: { maxIterations: 0, maxTime: '1h', stopConditions: { maxTestFailureStreak: 0 } },
  });
  for (const failing of [1, 0, 1, 0, 1, 0]) {
    story.run({ claimed: true });
    const passing = failing === 0 ? ['test 0'] : [];
    story.gate({ verdict: 'failed', tests: { ...counts(failing), passing } });
    story.advance();
  }
  expect(documentOf(story).tests.flaky_tests).toEqual(['test 0']);
});

test('A113: each stop rule that can be measured says how near it is, and the nearest one speaks', () => {
  const story = startedStory({ config: { maxIterations: 4, maxTokens: 1_000 } });
  for (let number = 1; number <= 3; number += 1) {
    story.run();
    story.advance();
  }
  const { condition_progress: near, last_evaluation: evaluation } = documentOf(story).stop_conditions;
  expect(near).toMatchObject({ max_iterations: 0.75, no_progress: 0, test_failures: 0 });
  expect(near).not.toHaveProperty('max_tokens');
  expect(evaluation).toBe('3 of 4 iterations');
});

test('A114: the metrics count iterations, reboots and the time the agent ran', () => {
  const story = startedStory();
  story.run();
  story.advance();
  story.run({ ending: { kind: 'exited', code: 1 }, outcome: 'refused', changes: changed(0) });
  story.advance();
  story.tell({ type: 'reboot.started', data: { cause: 'manual' } });
  story.tell({ type: 'reboot.finished', data: { cause: 'manual', ok: true } });
  expect(documentOf(story).metrics).toEqual({
    total_iterations: 2,
    successful_iterations: 1,
    failed_iterations: 1,
    total_reboots: 1,
    total_execution_ms: 2_000,
  });
});

test('A128: the document is a copy: what is done to it does not reach the loop', () => {
  const story = startedStory().run();
  const document = documentOf(story);
  (document.progress.modified_files as string[]).push('mine');
  expect(documentOf(story).progress.modified_files).toEqual(['file-0.ts']);
});

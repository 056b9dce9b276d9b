import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type IterationStatus, iterationStatuses } from '../../protocol/index.ts';
import { agentFinished, changed, counts, hook } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import {
  addIteration,
  emptyHistory,
  failureStreak,
  foldHistory,
  type HistoryFold,
  historyOf,
  type IterationHistory,
  type IterationRecord,
  iterationByNumber,
  iterationDurationMs,
  iterationsWhere,
  lastIterations,
  openIterationOf,
  openRecord,
  testSuccessRate,
} from './history.ts';

function record(number: number, status: IterationStatus = 'completed'): IterationRecord {
  return {
    number,
    attempt: 1,
    startedAt: '2026-11-01T12:00:00.000Z',
    endedAt: '2026-11-01T12:00:02.500Z',
    status,
    result: { changes: changed(2), tests: counts(1), progressDetected: true, durationMs: 2_000 },
    metadata: {},
  };
}

function historyWith(statuses: readonly IterationStatus[], maxInMemory = 100): IterationHistory {
  return statuses.reduce(
    (history, status, index) => addIteration(history, record(index + 1, status)),
    emptyHistory(maxInMemory),
  );
}

test('A070: an iteration has the statuses of its document, and verifying between execution and post hooks', () => {
  expect(iterationStatuses).toEqual([
    'pending',
    'pre_hooks',
    'executing',
    'verifying',
    'post_hooks',
    'completed',
    'failed',
    'timed_out',
    'skipped',
  ]);
});

test('A091: a history holds a hundred records by default', () => {
  expect(emptyHistory().maxInMemory).toBe(100);
});

test('A092 A093: each status adds to its own total', () => {
  const { summary } = historyWith(['completed', 'completed', 'failed', 'timed_out', 'skipped']);
  expect(summary).toEqual({
    total: 5,
    successful: 2,
    failed: 1,
    timedOut: 1,
    skipped: 1,
    totalDurationMs: 10_000,
    filesModified: 10,
    filesCreated: 0,
    testsRun: 50,
    testsPassed: 45,
    testsFailed: 5,
  });
});

test('A093 A102: the oldest records beyond the bound are dropped, the totals stay', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(12), (maxInMemory, length) => {
      const history = historyWith(
        Array.from({ length }, () => 'completed' as const),
        maxInMemory,
      );
      const kept = Array.from({ length }, (_, index) => index + 1).slice(-maxInMemory);
      expect(history.records.map(({ number }) => number)).toEqual(kept);
      expect(history.summary).toMatchObject({ total: length, totalDurationMs: length * 2_000 });
    }),
  );
});

test('A094: iterations are found newest first, by number and by predicate', () => {
  const history = historyWith(['completed', 'failed', 'completed', 'failed']);
  expect(lastIterations(history, 2).map(({ number }) => number)).toEqual([4, 3]);
  expect(lastIterations(history, 99).map(({ number }) => number)).toEqual([4, 3, 2, 1]);
  expect(lastIterations(history, 0)).toEqual([]);
  expect(lastIterations(history, -1)).toEqual([]);
  expect(iterationByNumber(history, 3)).toMatchObject({ number: 3 });
  expect(iterationByNumber(history, 5)).toBeUndefined();
  expect(iterationsWhere(history, ({ status }) => status === 'failed').map(({ number }) => number)).toEqual([2, 4]);
});

test.each<[number, IterationStatus[]]>([
  [0, []],
  [0, ['completed']],
  [1, ['failed']],
  [2, ['failed', 'timed_out']],
  [0, ['failed', 'completed']],
  [1, ['failed', 'completed', 'failed']],
  [2, ['completed', 'failed', 'skipped', 'timed_out']],
  [1, ['failed', 'skipped', 'pending', 'executing']],
  [0, ['skipped', 'skipped']],
])('A095 A104: the failure streak is %i after %j', (streak, statuses) => {
  expect(failureStreak(historyWith(statuses))).toBe(streak);
});

test('A075: a duration is known once the iteration is over, and never negative', () => {
  const { endedAt: _endedAt, ...open } = record(1);
  expect(iterationDurationMs(record(1))).toBe(2_500);
  expect(iterationDurationMs(open)).toBeUndefined();
  expect(iterationDurationMs({ ...record(1), endedAt: '2026-11-01T11:59:00.000Z' })).toBe(0);
});

test('A072: a run of no tests has a success rate of 100', () => {
  expect(testSuccessRate({ total: 0, passed: 0 })).toBe(100);
  expect(testSuccessRate({ total: 8, passed: 6 })).toBe(75);
  expect(testSuccessRate({ total: 3, passed: 0 })).toBe(0);
});

test('A069 A071 A074 R26: a history built from facts has the result of each iteration', () => {
  const story = startedStory();
  const usage = { inputTokens: 10, context: { used: 50, size: 200 } };
  story.run({ claimed: true, summary: 'almost', usage }).gate({ verdict: 'failed', tests: counts(2) });
  story.advance();
  story.pass(60_000).run({ outcome: 'unknown', ending: { kind: 'stopped', by: 'timeout', forced: true } });
  story.advance();
  const { records } = historyOf(story.facts);
  expect(records).toEqual([
    {
      number: 1,
      attempt: 1,
      startedAt: '2026-11-01T12:00:00.000Z',
      endedAt: '2026-11-01T12:00:00.000Z',
      status: 'completed',
      metadata: {},
      result: {
        exitCode: 0,
        changes: changed(1),
        tests: counts(2),
        progressDetected: true,
        quality: {
          proof: 'partly',
          checks: { passed: 0, total: 1 },
          tests: { passed: 8, failed: 2, flaky: 0 },
          worked: true,
          files: 1,
          headMoved: false,
        },
        contextUsagePercent: 25,
        usage,
        summary: 'almost',
        durationMs: 1_500,
      },
    },
    {
      number: 2,
      attempt: 1,
      startedAt: '2026-11-01T12:01:00.000Z',
      endedAt: '2026-11-01T12:01:00.000Z',
      status: 'timed_out',
      metadata: { error: 'Iteration 2 was ended after 30m, its timeout.' },
      result: {
        changes: changed(1),
        progressDetected: true,
        quality: { proof: 'unknown', worked: false, files: 1, headMoved: false },
        durationMs: 1_000,
      },
    },
  ]);
});

test('A069: an attempt that cost nothing leaves no record, and the number is used again', () => {
  const story = startedStory().run({ outcome: 'rate_limited', summary: 'of the lost attempt' });
  story.advance();
  story.run();
  story.advance();
  const { records } = historyOf(story.facts);
  expect(records).toMatchObject([{ number: 1, attempt: 2, status: 'completed' }]);
  expect(records[0]?.result).not.toHaveProperty('summary');
});

test('A096 A103: a history rebuilt from its facts equals one that was kept from the start, and survives JSON', () => {
  const story = startedStory({ config: { stopConditions: { maxSameErrorStreak: 0, maxIterationFailureStreak: 0 } } });
  let kept = emptyHistory(3);
  for (const code of [0, 1, 0, 1, 1]) {
    story.run(code === 0 ? {} : { outcome: 'unknown', ending: { kind: 'exited', code } });
    story.advance();
    kept = addIteration(kept, ...(lastIterations(historyOf(story.facts), 1) as [IterationRecord]));
  }
  expect(historyOf(story.facts, 3)).toEqual(kept);
  expect(kept.summary).toMatchObject({ total: 5, successful: 2, failed: 3 });
  expect(JSON.parse(JSON.stringify(kept))).toEqual(kept);
});

test('A069, A070, A074: the record of an iteration follows it from pending to its end, with the values from hooks', () => {
  const hooks = [hook('both', { at: ['pre_iteration', 'post_iteration'] })];
  const story = startedStory({ config: { hooks } }).begin();
  story.hooks('pre_iteration', { data: { revision: '7' } }).reachFromHere('verified', { claimed: true });
  story.hooks('post_iteration', { data: { backup: 'b1', error: 'of a hook' } }).advance();
  let fold: HistoryFold = { history: emptyHistory() };
  const statuses = story.facts.map((fact) => {
    fold = foldHistory(fold, fact);
    return openRecord(fold)?.status;
  });
  expect(statuses.filter((status, index) => status !== statuses[index - 1])).toEqual([
    'pending',
    'pre_hooks',
    'executing',
    'verifying',
    'post_hooks',
    undefined,
  ]);
  expect(iterationByNumber(fold.history, 1)).toMatchObject({
    status: 'completed',
    metadata: { revision: '7', backup: 'b1' },
  });
});

test('A074: the message of a failure is in the metadata, even if a hook uses the same name for a value', () => {
  const story = startedStory({ config: { hooks: [hook('x')] } }).begin();
  story.hooks('pre_iteration', { data: { error: 'of a hook' } });
  story.reachFromHere('executed', { ending: { kind: 'exited', code: 3 }, outcome: 'unknown' }).advance();
  expect(historyOf(story.facts).records[0]?.metadata).toEqual({ error: 'The agent exited with code 3.' });
});

test('A103: the current iteration is the same from the state as from the facts', () => {
  const hooks = [hook('both', { at: ['pre_iteration', 'post_iteration'] })];
  const story = startedStory({ config: { hooks } }).begin();
  const expectSame = () => {
    const fold = story.facts.reduce<HistoryFold>(foldHistory, { history: emptyHistory() });
    const open = openIterationOf(story.loop);
    expect(openRecord({ history: fold.history, ...(open && { open }) })).toEqual(openRecord(fold));
  };
  expectSame();
  story.tell({ type: 'hooks.started', data: { ...story.attempt, point: 'pre_iteration' } });
  expectSame();
  story.hooks('pre_iteration', { data: { a: '1' } });
  expectSame();
  story.reachFromHere('executing');
  expectSame();
  story.tell(agentFinished(story.attempt, { claimed: true })).gate({ verdict: 'failed' });
  expectSame();
  story.tell({ type: 'hooks.started', data: { ...story.attempt, point: 'post_iteration' } });
  expectSame();
});

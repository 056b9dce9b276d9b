import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Iteration, type IterationResult, type IterationStatus, TestResults } from './iteration.ts';
import { HistoryConfig, IterationHistory } from './iteration-history.ts';
import { temporaryFolder } from './testing/kept-state.ts';

function resultWith(more: Partial<IterationResult> = {}): IterationResult {
  return {
    exitCode: 0,
    stdout: 'output',
    stderr: '',
    filesModified: ['a.ts', 'b.ts'],
    filesCreated: ['c.ts'],
    filesDeleted: [],
    testsRun: true,
    testResults: new TestResults({
      total: 4,
      passed: 3,
      failed: 1,
      skipped: 0,
      details: [{ name: 'adds', status: 'failed', durationMs: 3, error: 'expected 2' }],
    }),
    contextUsagePercent: 40,
    progressDetected: true,
    summary: 'Added a test.',
    durationMs: 1_000,
    ...more,
  };
}

function iterationWith(number: number, status: IterationStatus = 'completed'): Iteration {
  const iteration = new Iteration(number, `prompt ${number}`);
  if (status === 'completed') iteration.complete(resultWith());
  else if (status === 'failed') iteration.fail('it broke');
  else if (status === 'timed_out') iteration.timeout();
  else if (status === 'skipped') iteration.skip();
  return iteration;
}

function historyIn(folder: string, more: Partial<HistoryConfig> = {}): IterationHistory {
  return new IterationHistory({
    ...HistoryConfig.default(),
    persistPath: path.join(folder, 'deep/history.json'),
    ...more,
  });
}

test('A069 A070 A074 A075: an iteration starts pending, and ends with its time, its status and its result or error', () => {
  const iteration = new Iteration(3, 'Fix it');
  expect(iteration).toMatchObject({ number: 3, prompt: 'Fix it', status: 'pending', metadata: {} });
  expect([iteration.duration(), iteration.result, iteration.endedAt]).toEqual([undefined, undefined, undefined]);
  const result = resultWith();
  iteration.complete(result);
  expect(iteration).toMatchObject({ status: 'completed', result });
  expect(iteration.duration()).toBeGreaterThanOrEqual(0);
  expect(iterationWith(1, 'failed')).toMatchObject({ status: 'failed', metadata: { error: 'it broke' } });
  expect(iterationWith(1, 'timed_out')).toMatchObject({ status: 'timed_out', endedAt: expect.any(Date) as Date });
});

test('A071 A073: an iteration is stored under the names of the document, and read back unchanged', () => {
  const iteration = iterationWith(2);
  const stored = iteration.toJSON();
  expect(stored).toMatchObject({
    number: 2,
    status: 'completed',
    result: {
      exit_code: 0,
      files_modified: ['a.ts', 'b.ts'],
      tests_run: true,
      test_results: { total: 4, details: [{ name: 'adds', status: 'failed', duration_ms: 3, error: 'expected 2' }] },
      context_usage_percent: 40,
      progress_detected: true,
      duration_ms: 1_000,
    },
  });
  expect(Iteration.fromJSON(stored)).toEqual(iteration);
});

test('A072: all tests passed when none failed, and the rate of no tests is 100', () => {
  const counts = { total: 4, passed: 3, failed: 1, skipped: 0 };
  expect(new TestResults(counts).successRate()).toBe(75);
  expect(new TestResults(counts).allPassed()).toBe(false);
  const none = new TestResults({ total: 0, passed: 0, failed: 0, skipped: 0 });
  expect([none.successRate(), none.allPassed()]).toEqual([100, true]);
});

test('A091 A092 A093 A102: the oldest iterations leave the memory, and the totals stay', () => {
  expect(HistoryConfig.default()).toEqual({ maxInMemory: 100, persist: true });
  const history = new IterationHistory({ maxInMemory: 3, persist: false });
  const statuses = ['completed', 'completed', 'failed', 'timed_out', 'skipped'] as const;
  for (const [index, status] of statuses.entries()) history.add(iterationWith(index + 1, status));
  expect(history.getLast(9).map(({ number }) => number)).toEqual([5, 4, 3]);
  expect(history.getSummary()).toEqual({
    totalIterations: 5,
    successfulIterations: 2,
    failedIterations: 1,
    timedOutIterations: 1,
    totalDurationMs: 2_000,
    totalFilesModified: 4,
    totalFilesCreated: 2,
    totalTestsRun: 8,
    totalTestsPassed: 6,
    totalTestsFailed: 2,
  });
});

test('A094: the last ones come newest first, and one is found by number or by what holds for it', () => {
  const history = new IterationHistory({ maxInMemory: 10, persist: false });
  for (let number = 1; number <= 4; number += 1)
    history.add(iterationWith(number, number === 2 ? 'failed' : 'completed'));
  expect(history.getLast(2).map(({ number }) => number)).toEqual([4, 3]);
  expect(history.getLast(0)).toEqual([]);
  expect(history.get(2)?.status).toBe('failed');
  expect(history.get(9)).toBeUndefined();
  expect(history.filter(({ status }) => status === 'completed').map(({ number }) => number)).toEqual([1, 3, 4]);
  const copy = history.get(1);
  if (copy !== undefined) copy.metadata['mine'] = 'changed';
  expect(history.get(1)?.metadata).toEqual({});
});

test.each([
  [[], 0],
  [['failed', 'timed_out'], 2],
  [['failed', 'completed'], 0],
  [['completed', 'failed', 'skipped', 'timed_out', 'pending'], 2],
] as const)('A095 A104: the failure streak after %j is %i', (statuses, streak) => {
  const history = new IterationHistory({ maxInMemory: 10, persist: false });
  for (const [index, status] of statuses.entries()) history.add(iterationWith(index + 1, status));
  expect(history.getFailureStreak()).toBe(streak);
});

test('A096 A103: a history that is saved and loaded is the same, totals included, and the file keeps what left the memory', async () => {
  const folder = temporaryFolder();
  const first = historyIn(folder, { maxInMemory: 2 });
  for (let number = 1; number <= 3; number += 1) first.add(iterationWith(number));
  await first.persist();
  first.add(iterationWith(4, 'failed'));
  await first.persist();
  const second = historyIn(folder, { maxInMemory: 2 });
  await second.load();
  expect(second.getSummary()).toEqual(first.getSummary());
  expect(second.getLast(9)).toEqual(first.getLast(9));
  const stored = JSON.parse(readFileSync(path.join(folder, 'deep/history.json'), 'utf8')) as { number: number }[];
  expect(stored.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(readdirSync(path.join(folder, 'deep'))).toEqual(['history.json']);
});

test('A096: a missing file, a missing path and disabled persistence are no errors and write nothing', async () => {
  const folder = temporaryFolder();
  const missing = historyIn(folder);
  await missing.load();
  expect(missing.getSummary().totalIterations).toBe(0);
  const off = historyIn(folder, { persist: false });
  off.add(iterationWith(1));
  await off.persist();
  await off.load();
  const nowhere = new IterationHistory(HistoryConfig.default());
  nowhere.add(iterationWith(1));
  await nowhere.persist();
  expect(off.getSummary().totalIterations).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test.each(['[{"number": 1', '{}', '[{"number": 1}]'])(
  'A103: the damaged history %j is refused, never overwritten, and what is in memory stays',
  async (text) => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'deep/history.json');
    mkdirSync(path.dirname(file));
    writeFileSync(file, text);
    const history = historyIn(folder);
    history.add(iterationWith(1));
    for (const step of [() => history.load(), () => history.persist()]) {
      await expect(step()).rejects.toMatchObject({ kind: 'StateLoadFailed', code: 'DOCUMENT_DAMAGED' });
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(history.getSummary().totalIterations).toBe(1);
  },
);

test('A093: of long output only the end is kept', () => {
  const history = new IterationHistory({ maxInMemory: 2, persist: false });
  const iteration = new Iteration(1, 'Print a lot');
  iteration.complete(resultWith({ stdout: `${'x'.repeat(100_000)}the end` }));
  history.add(iteration);
  const { stdout = '' } = history.get(1)?.result ?? {};
  expect(stdout.length).toBe(16_000);
  expect(stdout.endsWith('the end')).toBe(true);
});

import { expect, test } from 'vitest';
import { LoopId } from './loop-id.ts';
import { LoopState } from './loop-state.ts';
import { LoopContext, LoopStats } from './state.ts';

test('A019 A020 A021 A022 A023: each state says what is possible in it', () => {
  const states = ['idle', 'running', 'paused', 'rebooting', 'completed', 'error', 'stopped'] as const;
  const where = (holds: (state: LoopState) => boolean) => states.filter(holds);
  expect(where(LoopState.isTerminal)).toEqual(['completed', 'error', 'stopped']);
  expect(where(LoopState.isActive)).toEqual(['running', 'rebooting']);
  expect(where(LoopState.canStart)).toEqual(['idle', 'error', 'stopped']);
  expect(where(LoopState.canPause)).toEqual(['running']);
  expect(where(LoopState.canResume)).toEqual(['paused']);
  expect(LoopState.Rebooting).toBe('rebooting');
});

test('A024 A025 A026 A027 A028: a context begins idle, notes its start and its reason, and every change is an activity', () => {
  const context = new LoopContext(LoopId.new());
  expect([context.getState(), context.startedAt, context.stopReason]).toEqual(['idle', undefined, undefined]);
  context.lastActivity = new Date(0);
  context.markStarted();
  expect(context.getState()).toBe('running');
  expect(context.startedAt).toBeInstanceOf(Date);
  expect(context.lastActivity.getTime()).toBeGreaterThan(0);
  context.setState('stopped');
  context.setStopReason('The user stopped it.');
  expect(context).toMatchObject({ state: 'stopped', stopReason: 'The user stopped it.' });
});

test('A029 A030 A031 A032 A033: counters count, success ends every streak, and a snapshot is a copy', () => {
  const stats = new LoopStats();
  stats.incrementIterations();
  stats.recordFailure();
  stats.recordTestFailure();
  stats.recordNoProgress();
  stats.recordReboot();
  stats.addExecutionTime(1_500);
  const before = stats.snapshot();
  expect(before).toEqual({
    iterations: 1,
    successfulIterations: 0,
    failedIterations: 1,
    reboots: 1,
    totalExecutionMs: 1_500,
    testFailureStreak: 1,
    noProgressCount: 1,
    iterationFailureStreak: 1,
  });
  stats.recordSuccess();
  expect([stats.getFailureStreak(), stats.getNoProgressCount(), stats.testFailureStreak]).toEqual([0, 0, 0]);
  expect(stats.successfulIterations).toBe(1);
  expect(JSON.parse(JSON.stringify(before))).toEqual(before);
});

test('A031: a failed iteration is not a test failure', () => {
  const stats = new LoopStats();
  stats.recordFailure();
  stats.recordFailure();
  expect([stats.getFailureStreak(), stats.testFailureStreak]).toEqual([2, 0]);
});

test('A034: an id is a random UUID, shown with its prefix and written bare', () => {
  const [id, other] = [LoopId.new(), LoopId.new()];
  expect(String(id)).toBe(`loop_${id.uuid}`);
  expect(JSON.stringify({ id })).toBe(`{"id":"${id.uuid}"}`);
  expect(new LoopId(String(id)).equals(id)).toBe(true);
  expect(id.equals(other)).toBe(false);
  expect(() => new LoopId('ralph-fix-tests')).toThrow('The loop id must be a UUID');
});

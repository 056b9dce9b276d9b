import { expect, test } from 'vitest';
import { emptyStats } from '../state/stats.ts';
import { changed, counts } from '../testing/facts.ts';
import { Story, startedStory, storyStartMs } from '../testing/story.ts';
import { contextOf, outcomeOf } from './context.ts';

const started = new Date(storyStartMs).toISOString();

test('A024: a new loop is idle, has not started and has no stop reason', () => {
  expect(contextOf(new Story().loop)).toEqual({ id: '', state: 'idle', stats: emptyStats, guidance: [] });
});

test('A026 A028: starting records the instant and moves to running', () => {
  expect(contextOf(startedStory().loop)).toEqual({
    id: 'ralph-fix-tests-a1b2c3d4',
    state: 'running',
    stats: emptyStats,
    guidance: [],
    startedAt: started,
    lastActivityAt: started,
  });
});

test('A025: every state change refreshes the last activity and leaves the start alone', () => {
  const story = startedStory().pass(1_000).command({ command: 'pause' });
  story.pass(1_000).advance();
  expect(contextOf(story.loop)).toMatchObject({
    state: 'paused',
    startedAt: started,
    lastActivityAt: new Date(storyStartMs + 2_000).toISOString(),
  });
});

test('A027 A028 A049: a stop by the user ends as stopped, with the reason and its message', () => {
  const story = startedStory().command({ command: 'stop' });
  story.advance();
  expect(contextOf(story.loop)).toMatchObject({
    state: 'stopped',
    stopReason: 'user_abort',
    stopMessage: 'ended by the user',
  });
});

test('A027 A041 R5: a shutdown pauses with its own reason, which a resume clears', () => {
  const story = startedStory().command({ command: 'interrupt', signal: 'SIGINT' });
  story.advance();
  expect(contextOf(story.loop)).toMatchObject({
    state: 'paused',
    stopReason: 'interrupted',
    stopMessage: 'interrupted by a signal',
  });
  story.command({ command: 'resume' }).advance();
  expect(contextOf(story.loop)).not.toHaveProperty('stopReason');
  expect(contextOf(story.loop)).not.toHaveProperty('stopMessage');
});

test('A056: during a reboot the runner is rebooting', () => {
  const story = startedStory().tell({ type: 'reboot.started', data: { cause: 'manual' } });
  expect(contextOf(story.loop).state).toBe('rebooting');
  story.tell({ type: 'reboot.finished', data: { cause: 'manual', ok: true } });
  expect(contextOf(story.loop).state).toBe('running');
});

test('A053: the outcome of an iteration has its duration, its changes and whether the session is full', () => {
  const result = {
    changes: changed(3),
    tests: counts(0),
    progressDetected: true,
    contextUsagePercent: 85,
    durationMs: 1_200,
  };
  const record = {
    number: 4,
    attempt: 1,
    startedAt: '2026-11-01T12:00:00.000Z',
    status: 'completed',
    metadata: {},
  } as const;
  expect(outcomeOf({ ...record, result }, 85)).toEqual({
    iteration: 4,
    durationMs: 1_200,
    madeProgress: true,
    needsReboot: true,
    testsPassed: true,
    filesChanged: 3,
  });
  expect(outcomeOf({ ...record, result }, 86).needsReboot).toBe(false);
  expect(outcomeOf(record, 85)).toEqual({
    iteration: 4,
    durationMs: 0,
    madeProgress: null,
    needsReboot: false,
    filesChanged: 0,
  });
});

import { expect, test } from 'vitest';
import { agentFinished } from '../testing/facts.ts';
import { Story, startedStory } from '../testing/story.ts';
import { accountsForTime, advance } from './advance.ts';

test('a loop that has not started does nothing', () => {
  expect(new Story().next()).toEqual({ type: 'none' });
});

test('A045 R8: iteration numbers start at 1 and rise by 1; the number is that of the latest started', () => {
  const story = startedStory();
  expect(story.loop.position.iteration).toBe(0);
  for (const number of [1, 2, 3]) {
    expect(story.begin().loop).toMatchObject({ position: { iteration: number, finished: number - 1 } });
    story.tell(agentFinished(story.attempt)).advance();
  }
});

test('A046: an iteration with progress is a success, one without counts towards no progress', () => {
  const still = { known: true, headMoved: false, modified: [], created: [], deleted: [], count: 0 };
  const story = startedStory();
  story.run().advance();
  expect(story.loop).toMatchObject({
    progress: { lastIteration: 1 },
    totals: { stats: { successfulIterations: 1, noProgressCount: 0 } },
  });
  story.run({ changes: still }).advance();
  expect(story.loop).toMatchObject({
    progress: { lastIteration: 1 },
    totals: { stats: { successfulIterations: 1, noProgressCount: 1 } },
  });
  story.run({ changes: { ...still, known: false } }).advance();
  expect(story.loop.totals.stats).toMatchObject({ successfulIterations: 1, noProgressCount: 1 });
});

test('A044: stop rules are evaluated before each start; one that trips is recorded with its evidence and ends the loop', () => {
  const story = startedStory({ config: { stopConditions: { maxNoProgressIterations: 1 } } });
  const still = { known: true, headMoved: false, modified: [], created: [], deleted: [], count: 0 };
  const { seq } = story.run({ changes: still }).loop.journal;
  expect(story.advance(700)).toEqual({ type: 'none' });
  const evidence = '1 of 1 iterations in a row made no progress';
  expect(story.facts.filter((fact) => fact.seq > seq)).toMatchObject([
    { type: 'iteration.finished', data: { elapsedMs: 700 } },
    { type: 'stop_rule.triggered', data: { rule: 'no_progress', message: evidence, evidence: [evidence] } },
    { type: 'loop.ended', data: { status: 'failed', reason: 'no_progress', verified: false, elapsedMs: 0 } },
  ]);
});

test('R4: a limit may leave the loop paused, resumable in place once the limit is raised', () => {
  const story = startedStory({ config: { maxIterations: 1, onLimit: 'pause' } }).run();
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.loop).toMatchObject({
    status: 'paused',
    outcome: { reason: 'max_iterations', message: '1 of 1 iterations' },
  });
  story.command({ command: 'resume' });
  expect(story.advance()).toEqual({ type: 'rest' });
  const config = { baseline: false, maxIterations: 2, onLimit: 'pause' };
  story.tell({ type: 'config.changed', data: { config, configHash: 'other' } }).command({ command: 'resume' });
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('R4: a rule that is no limit ends the loop even if limits only pause it', () => {
  const config = { onLimit: 'pause', stopConditions: { maxSameErrorStreak: 1 } } as const;
  const story = startedStory({ config }).run({ outcome: 'refused', error: 'no' });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'same_error' } });
});

test('R7: running time is what facts account for; a pause adds nothing', () => {
  const story = startedStory({ config: { maxTime: '10s' } }).command({ command: 'pause' });
  story.advance(4_000);
  story.pass(3_600_000).command({ command: 'resume' }).begin(5_999);
  expect(story.loop).toMatchObject({ totals: { runningMs: 9_999 }, status: 'running' });
});

test('R7: the time a loop waited counts before the next start, not after it', () => {
  const story = startedStory({ config: { maxTime: '10s', iterationDelay: '20s' } }).run();
  expect(story.advance(1_000)).toMatchObject({ type: 'wait', cause: 'delay' });
  story.pass(20_000);
  expect(story.advance(20_000)).toEqual({ type: 'none' });
  expect(story.loop).toMatchObject({
    status: 'failed',
    outcome: { reason: 'max_time' },
    totals: { runningMs: 21_000 },
    position: { iteration: 1 },
  });
});

test('a wait is over exactly at its instant', () => {
  const story = startedStory({ config: { iterationDelay: '5s' } }).run();
  expect(story.advance()).toMatchObject({ type: 'wait' });
  expect(story.pass(4_999).advance()).toMatchObject({ type: 'wait' });
  expect(story.pass(1).advance()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('the facts of one step come together, and its time is accounted for once', () => {
  const story = startedStory({ config: { maxIterations: 1 } }).reach('begun');
  const moment = { nowMs: story.nowMs, elapsedMs: 500 };
  const { facts, action } = advance(story.loop, moment, [agentFinished(story.attempt)]);
  expect(action).toEqual({ type: 'none' });
  expect(facts.map(({ type }) => type)).toEqual([
    'agent.finished',
    'iteration.finished',
    'stop_rule.triggered',
    'loop.ended',
  ]);
  expect(facts.filter(accountsForTime)).toHaveLength(1);
  expect(story.tell(...facts).loop.totals.runningMs).toBe(500);
});

test('time that a fact from outside accounts for is not counted again by what follows from it', () => {
  const story = startedStory({ config: { baseline: true } }).command({ command: 'pause' });
  const finished = { type: 'baseline.finished', data: { verdict: 'failed', checks: [], elapsedMs: 500 } } as const;
  const data = { ...finished.data, checks: [] };
  const { facts } = advance(story.loop, { nowMs: story.nowMs, elapsedMs: 500 }, [{ ...finished, data }]);
  expect(story.tell(...facts).loop).toMatchObject({ status: 'paused', totals: { runningMs: 500 } });
});

test('R6: after completion the loop is only wrapped up, and can no longer be aborted', () => {
  const story = startedStory().reach('executed').gate({ verdict: 'passed' });
  expect(story.advance()).toEqual({ type: 'finalize' });
  story.command({ command: 'abort' });
  expect(story.facts.at(-1)).toMatchObject({
    type: 'command.refused',
    data: { why: 'the loop is done and only being wrapped up' },
  });
  expect(story.next()).toEqual({ type: 'finalize' });
});

test('R7: a wait that is longer than the running time left ends when that is used up, and then the limit stops the loop', () => {
  const story = startedStory({ config: { maxTime: '10m', baseline: false } });
  const resetAt = new Date(Date.parse(story.loop.journal.lastActivityAt ?? '') + 3_600_000).toISOString();
  const waiting = story.tell({
    type: 'wait.scheduled',
    data: { until: resetAt, cause: 'limit', message: 'usage limit' },
  });
  const startedMs = Date.parse(waiting.loop.journal.lastActivityAt ?? '');
  expect(waiting.next(60_000)).toEqual({
    type: 'wait',
    until: new Date(startedMs + 9 * 60_000).toISOString(),
    cause: 'limit',
    isWhole: false,
  });
  expect(waiting.pass(9 * 60_000).advance(600_000)).toEqual({ type: 'none' });
  expect(waiting.loop).toMatchObject({ status: 'failed', outcome: { reason: 'max_time' } });
});

import { expect, test } from 'vitest';
import type { LoopConfigInput, RebootCause } from '../../protocol/index.ts';
import { type Story, startedStory } from '../testing/story.ts';

const continued: LoopConfigInput = { session: { strategy: 'continue', timeout: '1h' } };

/** A loop whose agent just used this share of its context window, in percent. */
function afterUsing(percent: number, config: LoopConfigInput = continued): Story {
  const context = { used: percent * 2_000, size: 200_000 };
  const story = startedStory({ config }).run({ sessionId: 'session-1', usage: { context } });
  story.advance();
  return story;
}

function reboot(story: Story, cause: RebootCause, ok = true): Story {
  story.tell({ type: 'reboot.started', data: { cause } });
  return story.tell({ type: 'reboot.finished', data: { cause, ok } });
}

test.each([
  [84.9, 'begin'],
  [85, 'reboot'],
  [85.1, 'reboot'],
  [100, 'reboot'],
])('A046 A054 R18: at %d percent of the context the loop continues with: %s', (percent, action) => {
  expect(afterUsing(percent).advance().type).toBe(action);
});

test('R18: with a fresh session for every iteration a full context changes nothing', () => {
  expect(afterUsing(99, { session: { strategy: 'fresh' } }).advance()).toMatchObject({
    type: 'begin',
    session: 'fresh',
    handOff: false,
  });
});

test('R18: below the redline the session is continued by its id', () => {
  expect(afterUsing(50).advance()).toMatchObject({ type: 'begin', session: 'continue', sessionId: 'session-1' });
});

test('an agent that does not report its usage is not considered full, and one without a session id starts a new session', () => {
  const story = startedStory({ config: continued }).run();
  expect(story.advance()).toMatchObject({ type: 'begin', session: 'fresh', handOff: false });
});

test('A056 R23: a reboot ends the session, is counted, and the next prompt hands over to a fresh one', () => {
  const story = afterUsing(90);
  expect(story.advance()).toEqual({ type: 'reboot', cause: 'redline' });
  reboot(story, 'redline');
  expect(story.loop).toMatchObject({
    status: 'running',
    session: { handOff: true },
    totals: { stats: { reboots: 1 } },
  });
  expect(story.loop.session.history).toMatchObject([{ id: 'session-1', iterations: 1, endReason: 'redline' }]);
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2, session: 'fresh', handOff: true });
  expect(story.begin().loop.session.handOff).toBe(false);
});

test('a handover that reached no agent is given to the next attempt again', () => {
  const story = afterUsing(90);
  reboot(story, 'redline').run({ outcome: 'rate_limited', sessionId: 'session-2' }).advance();
  expect(story.loop.session.handOff).toBe(true);
  expect(story.begin().facts.at(-1)).toMatchObject({ data: { attempt: 2, session: 'fresh', handOff: true } });
});

test('a session that is too old is not continued', () => {
  const story = afterUsing(10).pass(3_599_999);
  expect(story.advance()).toMatchObject({ type: 'begin', session: 'continue' });
  expect(story.pass(1).advance()).toEqual({ type: 'reboot', cause: 'session_timeout' });
});

test('A050: a requested reboot is done at the boundary, even with fresh sessions, and the loop continues', () => {
  const story = startedStory().reach('executed', {}).command({ command: 'reboot' });
  expect(story.advance()).toEqual({ type: 'reboot', cause: 'manual' });
  expect(reboot(story, 'manual').advance()).toMatchObject({ type: 'begin', iteration: 2, handOff: true });
  expect(story.loop).toMatchObject({ commands: { requests: {} }, totals: { stats: { reboots: 1 } } });
});

test('R23: a reboot that fails is tried again with growing pauses; after three failures the loop has failed', () => {
  const story = afterUsing(90);
  for (const seconds of [5, 10]) {
    reboot(story, 'redline', false);
    const action = story.advance();
    expect(action).toMatchObject({ type: 'wait', cause: 'reboot' });
    expect(story.next()).toEqual(action);
    story.pass(seconds * 1_000 - 1);
    expect(story.advance()).toEqual(action);
    expect(story.pass(1).advance()).toEqual({ type: 'reboot', cause: 'redline' });
  }
  expect(reboot(story, 'redline', false).advance()).toEqual({ type: 'none' });
  expect(story.loop).toMatchObject({
    status: 'failed',
    outcome: { reason: 'environment', message: 'The agent could not be given a fresh session 3 times in a row.' },
    totals: { stats: { reboots: 0 } },
  });
});

test('R23: a reboot that works resets the count of failures', () => {
  const story = afterUsing(90);
  reboot(reboot(reboot(story, 'redline', false), 'redline', false), 'redline', true);
  expect(story.loop.pending.retries.reboot).toBe(0);
});

test('R23: an iteration that starts without the fresh session resets the count of failed reboots', () => {
  const story = startedStory({ config: { session: { strategy: 'continue', timeout: '1h' } } });
  story.run({ sessionId: 'session' }).advance();
  expect(story.pass(7_200_000).advance()).toEqual({ type: 'reboot', cause: 'session_timeout' });
  expect(reboot(story, 'session_timeout', false).loop.pending.retries.reboot).toBe(1);
  // The clock is set back: the session is young again.
  const until = new Date(story.pass(-86_400_000).nowMs).toISOString();
  story.tell({ type: 'wait.scheduled', data: { until, cause: 'reboot', message: 'the reboot failed' } }).begin();
  expect(story.loop.pending.retries.reboot).toBe(0);
});

test('a retry ends the wait for another reboot', () => {
  const story = reboot(afterUsing(90), 'redline', false);
  expect(story.advance()).toMatchObject({ type: 'wait', cause: 'reboot' });
  expect(story.command({ command: 'retry' }).advance()).toEqual({ type: 'reboot', cause: 'redline' });
});

test('a question after the wait for another reboot does not make the loop wait once more', () => {
  const story = reboot(afterUsing(90), 'redline', false);
  expect(story.advance()).toMatchObject({ type: 'wait', cause: 'reboot' });
  story.command({ command: 'mode', mode: 'attended' }).command({ command: 'retry' });
  expect(story.advance()).toEqual({ type: 'ask' });
  expect(story.command({ command: 'continue' }).advance()).toEqual({ type: 'reboot', cause: 'redline' });
});

test('a reboot that its owner did not finish is started again by the next owner', () => {
  const story = afterUsing(90).tell({ type: 'reboot.started', data: { cause: 'redline' } });
  expect(story.takeOver().advance()).toEqual({ type: 'reboot', cause: 'redline' });
});

test('A054: a session whose context overflowed is not continued, even if the agent reported no usage', () => {
  const story = startedStory({ config: continued }).run({ sessionId: 'session-1', outcome: 'context_overflow' });
  story.advance();
  expect(story.advance()).toEqual({ type: 'reboot', cause: 'redline' });
});

test('B060: a loop that used up its reboots stops before another iteration, and one without such a limit does not', () => {
  const story = reboot(afterUsing(90, { ...continued, maxReboots: 2 }), 'redline');
  expect(story.advance().type).toBe('begin');
  reboot(story, 'redline');
  expect(story.advance()).toEqual({ type: 'none' });
  expect(story.loop.outcome).toMatchObject({ reason: 'max_reboots' });
  const free = reboot(reboot(afterUsing(90), 'redline'), 'redline');
  expect(free.advance().type).toBe('begin');
});

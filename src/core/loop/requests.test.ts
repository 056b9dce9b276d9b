import { expect, test } from 'vitest';
import { encodeConfig } from '../../protocol/index.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import type { Run } from '../testing/facts.ts';
import { agentFinished } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { breaksOff } from './decide.ts';

const endedOnRequest: Run = { outcome: 'unknown', ending: { kind: 'stopped', by: 'request', forced: false } };
const afterAgent = ['executed', 'verifying', 'verified'] as const;

/** An attempt in a stage, with its owner still alive. While the agent runs, its owner ends it on request. */
function inStage(stage: CurrentAttempt['stage'], command: Parameters<Story['command']>[0]): Story {
  const story = startedStory().reach(stage).command(command);
  if (stage === 'executing') story.tell(agentFinished(story.attempt, endedOnRequest));
  return story;
}

function outcome(story: Story) {
  const { seq } = story.loop.journal;
  const action = story.advance();
  return { types: story.typesSince(seq), action: action.type };
}

test.each(['begun', 'executing'] as const)(
  'A049: an abort while an attempt is %s costs no iteration and ends the loop',
  (stage) => {
    const story = inStage(stage, { command: 'abort' });
    expect(breaksOff(story.loop)).toBe(true);
    expect(outcome(story)).toEqual({ types: ['iteration.interrupted', 'loop.ended'], action: 'none' });
    expect(story.loop).toMatchObject({
      status: 'aborted',
      outcome: { reason: 'user_abort', verified: false },
      position: { finished: 0 },
    });
    expect(story.loop).not.toHaveProperty('current');
  },
);

test.each(afterAgent)(
  'A049: an abort when an attempt is %s keeps what was done, starts no gate and ends the loop',
  (stage) => {
    const story = inStage(stage, { command: 'stop' });
    expect(outcome(story)).toEqual({ types: ['iteration.finished', 'loop.ended'], action: 'none' });
    expect(story.loop).toMatchObject({
      status: 'aborted',
      outcome: { reason: 'user_abort' },
      position: { finished: 1 },
    });
  },
);

test('an abort after the gate has passed does not undo completion', () => {
  const story = startedStory().reach('executed').gate({ verdict: 'passed' }).command({ command: 'abort' });
  expect(outcome(story)).toEqual({ types: ['iteration.finished', 'loop.completing'], action: 'finalize' });
});

test.each(['begun', 'executing', ...afterAgent] as const)(
  'A051: a skip while an attempt is %s abandons the iteration and the loop continues',
  (stage) => {
    const story = inStage(stage, { command: 'skip' });
    expect(breaksOff(story.loop)).toBe(true);
    expect(outcome(story)).toEqual({ types: ['iteration.finished'], action: 'begin' });
    expect(story.facts.at(-1)).toMatchObject({ data: { iteration: 1, status: 'skipped' } });
    expect(story.loop).toMatchObject({
      status: 'running',
      position: { finished: 1 },
      totals: { stats: { skippedIterations: 1 } },
      commands: { requests: {} },
    });
  },
);

test.each(['begun', 'executing'] as const)(
  'an immediate pause while an attempt is %s costs nothing; the resume tries the same number again',
  (stage) => {
    const story = inStage(stage, { command: 'pause', now: true });
    expect(breaksOff(story.loop)).toBe(true);
    expect(outcome(story)).toEqual({ types: ['iteration.interrupted', 'loop.paused'], action: 'rest' });
    expect(story.loop).toMatchObject({
      status: 'paused',
      outcome: { reason: 'user_pause' },
      position: { finished: 0 },
    });
    story.command({ command: 'resume' });
    expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1, attempt: 2 });
  },
);

test.each(['executed', 'verifying'] as const)(
  'an immediate pause when an attempt is %s keeps the run that was paid for',
  (stage) => {
    const story = inStage(stage, { command: 'pause', now: true });
    expect(outcome(story)).toEqual({ types: ['loop.paused'], action: 'rest' });
    expect(story.loop.position.current).toMatchObject({ iteration: 1, attempt: 1 });
    story.command({ command: 'resume' });
    expect(story.advance()).toEqual({ type: 'verify', iteration: 1, attempt: 1 });
    story.gate({ verdict: 'passed' });
    expect(story.advance()).toEqual({ type: 'finalize' });
  },
);

test('a pause before the gate survives a new owner', () => {
  const story = inStage('executed', { command: 'pause', now: true });
  story.advance();
  story.takeOver().command({ command: 'resume' });
  expect(story.advance()).toEqual({ type: 'verify', iteration: 1, attempt: 1 });
});

test('an immediate pause after a failed gate finishes the iteration first', () => {
  expect(outcome(inStage('verified', { command: 'pause', now: true }))).toEqual({
    types: ['iteration.finished', 'loop.paused'],
    action: 'rest',
  });
});

test.each(['begun', 'executed', 'verifying', 'verified'] as const)(
  'A042: a pause at the boundary lets an attempt that is %s continue',
  (stage) => {
    const story = inStage(stage, { command: 'pause' });
    expect(breaksOff(story.loop)).toBe(false);
    expect(outcome(story).action).toBe(stage === 'begun' ? 'execute' : stage === 'verified' ? 'rest' : 'verify');
  },
);

test('A042: while paused nothing starts, guidance is still accepted, and an abort ends the loop', () => {
  const story = startedStory().command({ command: 'pause' });
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.pass(86_400_000).advance()).toEqual({ type: 'rest' });
  story.command({ command: 'guide', text: 'look here' });
  expect(story.loop.commands.guidance).toHaveLength(1);
  story.command({ command: 'abort' });
  expect(story.advance()).toEqual({ type: 'none' });
  expect(story.loop).toMatchObject({ status: 'aborted', totals: { runningMs: 0 } });
});

test('A040 A041 R5: an interrupt ends the agent and leaves the loop paused, not failed', () => {
  const story = inStage('executing', { command: 'interrupt', signal: 'SIGTERM' });
  expect(outcome(story)).toEqual({ types: ['iteration.interrupted', 'loop.paused'], action: 'rest' });
  expect(story.loop).toMatchObject({ status: 'paused', outcome: { reason: 'interrupted' } });
});

test('A040: at the boundary requests come before the rules, and an end before a pause', () => {
  const story = startedStory({ config: { maxIterations: 1 } }).reach('executed', {});
  story.command({ command: 'pause' });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'paused', outcome: { reason: 'user_pause' } });
  const ended = startedStory().command({ command: 'pause' }).command({ command: 'abort' });
  ended.advance();
  expect(ended.loop.status).toBe('aborted');
});

test('B116: a paused loop whose limits are used up is not resumed before they are raised', () => {
  const config = { maxIterations: 1, maxToolCalls: 3 };
  const story = startedStory({ config }).reach('executed', { usage: { toolCalls: 3 } });
  story.command({ command: 'pause' }).advance();
  const { seq } = story.loop.journal;
  story.command({ command: 'resume' });
  expect(story.facts.at(-1)).toMatchObject({
    type: 'command.refused',
    data: { why: 'it needs more room first: it has used up 3 of 3 tool calls and 1 of 1 iterations' },
  });
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.typesSince(seq)).toEqual(['command.refused']);
  const wider = encodeConfig({ ...story.loop.config, maxIterations: 2, maxToolCalls: 4 });
  story.tell({ type: 'config.changed', data: { config: wider, configHash: '' } });
  story.command({ command: 'resume' }).begin();
  expect(story.loop).toMatchObject({ status: 'running', position: { iteration: 2 } });
});

test('B116: a pause that kept a run to be judged is resumed, whatever is used up', () => {
  const story = startedStory({ config: { maxIterations: 1, maxTokens: 1 } });
  story.reach('executed', { claimed: true, usage: { inputTokens: 5 } }).command({ command: 'pause', now: true });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'paused', position: { current: { stage: 'executed' } } });
  story.command({ command: 'resume' });
  expect(story.advance()).toMatchObject({ type: 'verify' });
});

test('a resume cancels a pause that has not taken effect yet', () => {
  const story = startedStory().reach('begun').command({ command: 'pause' }).command({ command: 'resume' });
  expect(story.loop).toMatchObject({ status: 'running', commands: { requests: {} } });
  expect(story.next()).toMatchObject({ type: 'execute' });
});

test('a pause at the boundary does not weaken an earlier interrupt or immediate pause', () => {
  const interrupted = startedStory().reach('begun').command({ command: 'interrupt', signal: 'SIGINT' });
  interrupted.command({ command: 'pause' });
  expect(interrupted.loop.commands.requests.pause).toMatchObject({ now: true, reason: 'interrupted' });
  const now = startedStory().reach('begun').command({ command: 'pause', now: true }).command({ command: 'pause' });
  expect(now.loop.commands.requests.pause).toMatchObject({ now: true, reason: 'user_pause' });
  const stronger = startedStory().reach('begun').command({ command: 'pause' }).command({ command: 'pause', now: true });
  expect(stronger.loop.commands.requests.pause).toMatchObject({ now: true, reason: 'user_pause' });
});

test('a retry ends a wait for a limit, even while the loop is paused', () => {
  const story = startedStory().run({ outcome: 'rate_limited' });
  expect(story.advance()).toMatchObject({ type: 'wait' });
  story.command({ command: 'pause' });
  expect(story.advance()).toEqual({ type: 'rest' });
  story.command({ command: 'resume' });
  expect(story.advance()).toMatchObject({ type: 'wait', cause: 'limit' });
  story.command({ command: 'retry' });
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1, attempt: 2 });
});

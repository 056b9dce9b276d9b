import { expect, test } from 'vitest';
import type { LoopConfigInput } from '../../protocol/index.ts';
import { changed, configOf, hook } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { hookContext } from './hook-context.ts';

const both = hook('both', { at: ['pre_iteration', 'post_iteration'] });
const failed = {
  name: 'both',
  point: 'pre_iteration',
  ok: false,
  durationMs: 1,
  output: '',
  error: 'it broke',
} as const;
const broken = { results: [{ ...failed, fatal: true }] };

function storyWith(hooks: LoopConfigInput['hooks'], config: LoopConfigInput = {}): Story {
  return startedStory({ config: { ...config, ...(hooks && { hooks }) } });
}

test('A081, A084: an iteration goes through its hooks, its agent, its gate and its hooks again', () => {
  const story = storyWith([both]).begin();
  expect(story.next()).toMatchObject({ type: 'hooks', point: 'pre_iteration', hooks: [{ name: 'both' }] });
  story.tell({ type: 'hooks.started', data: { ...story.attempt, point: 'pre_iteration' } });
  expect(story.loop.phase).toBe('pre_hooks');
  story.tell({ type: 'hooks.finished', data: { ...story.attempt, point: 'pre_iteration', results: [] } });
  expect(story.loop.phase).toBe('executing');
  expect(story.next()).toMatchObject({ type: 'execute' });
  story.reachFromHere('verified');
  const after = story.next();
  expect(after).toMatchObject({ type: 'hooks', point: 'post_iteration', outcome: { status: 'completed' } });
  story.tell({ type: 'hooks.started', data: { ...story.attempt, point: 'post_iteration' } });
  expect(story.loop.phase).toBe('post_hooks');
  story.tell({ type: 'hooks.finished', data: { ...story.attempt, point: 'post_iteration', results: [] } });
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('a loop without hooks writes no fact about them', () => {
  const story = startedStory().run();
  story.advance();
  expect(story.facts.filter(({ type }) => type.startsWith('hooks'))).toEqual([]);
  expect(configOf().hooks).toEqual([]);
});

test('B070: a hook before the agent that asks to stop ends the loop with its reason, and no agent runs', () => {
  const story = storyWith([both])
    .begin()
    .hooks('pre_iteration', { stop: { hook: 'both', reason: 'freeze' } });
  const seq = story.loop.journal.seq;
  expect(story.advance()).toEqual({ type: 'none' });
  expect(story.typesSince(seq)).toEqual(['iteration.interrupted', 'stop_rule.triggered', 'loop.ended']);
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'script' }, position: { finished: 0 } });
  expect(story.loop.outcome.message).toBe('the hook "both" asked to stop: freeze');
});

test('B070: a hook after the agent that asks to stop lets the iteration count and ends the loop', () => {
  const story = storyWith([both]).begin().hooks('pre_iteration').reachFromHere('verified');
  story.hooks('post_iteration', { stop: { hook: 'both', reason: 'enough' } }).advance();
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'script' }, position: { finished: 1 } });
});

test('R4: a proven completion stands, whatever the hooks after it report', () => {
  for (const result of [{ stop: { hook: 'both', reason: 'no' } }, broken]) {
    const story = storyWith([both])
      .begin()
      .hooks('pre_iteration')
      .reachFromHere('executed')
      .gate({ verdict: 'passed' });
    story.hooks('post_iteration', result);
    expect(story.advance()).toEqual({ type: 'finalize' });
  }
});

test('B070: a hook that fails changes nothing unless it is fatal', () => {
  const story = storyWith([both])
    .begin()
    .hooks('pre_iteration', { results: [failed] });
  expect(story.next()).toMatchObject({ type: 'execute' });
});

test('B070: a hook that must not fail pauses the loop before the agent runs, and a resume runs it again', () => {
  const story = storyWith([both]).begin().hooks('pre_iteration', broken);
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.loop).toMatchObject({ status: 'paused', outcome: { reason: 'environment' }, position: { finished: 0 } });
  expect(story.loop.outcome.message).toBe('the hook "both" failed: it broke');
  story.command({ command: 'resume' }).begin();
  expect(story.attempt).toEqual({ iteration: 1, attempt: 2 });
  expect(story.next()).toMatchObject({ type: 'hooks', point: 'pre_iteration' });
});

test('B070: after the agent such a hook pauses the loop once the iteration has been counted', () => {
  const story = storyWith([both]).begin().hooks('pre_iteration').reachFromHere('verified');
  story.hooks('post_iteration', broken).advance();
  expect(story.loop).toMatchObject({ status: 'paused', outcome: { reason: 'environment' }, position: { finished: 1 } });
});

test.each(['stop', 'failure'])('a new owner honours the result of a hook before the agent: %s', (kind) => {
  const result = kind === 'stop' ? { stop: { hook: 'both', reason: 'freeze' } } : broken;
  const story = storyWith([both]).begin().hooks('pre_iteration', result).takeOver();
  story.advance();
  expect(story.loop).toMatchObject(
    kind === 'stop' ? { status: 'failed', outcome: { reason: 'script' } } : { status: 'paused' },
  );
});

test('a new owner runs the hooks again that its predecessor did not finish, and only those', () => {
  const story = storyWith([both]).begin().takeOver();
  expect(story.next()).toMatchObject({ type: 'hooks', point: 'pre_iteration' });
  story.hooks('pre_iteration');
  expect(story.next()).toMatchObject({ type: 'execute' });
  story.reachFromHere('verified').takeOver();
  expect(story.next()).toMatchObject({ type: 'hooks', point: 'post_iteration' });
});

test('an agent that may have been started after its hooks is recovered, not started again', () => {
  const story = storyWith([both]).begin().hooks('pre_iteration').takeOver();
  expect(story.next()).toMatchObject({ type: 'recover' });
});

test('A049: a request to end the loop or to skip the iteration waits for no hook', () => {
  const before = (command: 'abort' | 'skip') => storyWith([both]).begin().command({ command });
  for (const command of ['abort', 'stop'] as const) {
    const story = storyWith([both]).begin().hooks('pre_iteration').reachFromHere('verified').command({ command });
    story.advance();
    expect(story.loop).toMatchObject({ status: 'aborted', position: { finished: 1 } });
  }
  const skipped = before('skip');
  expect(skipped.advance()).toMatchObject({ type: 'begin', iteration: 2 });
  const aborted = before('abort');
  aborted.advance();
  expect(aborted.loop).toMatchObject({ status: 'aborted', position: { finished: 0 } });
});

test('A048: an immediate pause keeps the run that is paid for and leaves its hooks for later', () => {
  const story = storyWith([both]).begin().hooks('pre_iteration').reachFromHere('verified');
  story.command({ command: 'pause', now: true }).advance();
  expect(story.loop).toMatchObject({ status: 'paused', outcome: { reason: 'user_pause' }, position: { finished: 0 } });
  story.command({ command: 'resume' });
  expect(story.advance()).toMatchObject({ type: 'hooks', point: 'post_iteration' });
});

test('the replies of hooks are kept for the attempt: values are merged, and a later one wins', () => {
  const story = storyWith([both]).begin();
  story.hooks('pre_iteration', { data: { a: '1', b: '1' }, prompt: 'mind the gap' }).reachFromHere('verified');
  story.hooks('post_iteration', { data: { b: '2' } });
  expect(story.loop.position.current?.hooks).toMatchObject({ data: { a: '1', b: '2' }, prompt: 'mind the gap' });
});

test('B070: a hook receives the status of the iteration, and afterwards its outcome', () => {
  const story = storyWith([both], { maxIterations: 5 }).begin();
  const { loop } = story;
  expect(loop.position.current && hookContext(loop, loop.position.current)).toEqual({
    loopId: 'ralph-fix-tests-a1b2c3d4',
    iteration: 1,
    attempt: 1,
    maxIterations: 5,
    mode: 'unattended',
    workingDirectory: '/project',
    agent: 'command',
    status: 'pre_hooks',
  });
  story.hooks('pre_iteration').reachFromHere('verified', { claimed: true, sessionId: 'abc', summary: 'did it' });
  const after = story.loop;
  expect(
    after.position.current &&
      hookContext(after, after.position.current, { status: 'completed', progress: { made: true, evidence: [] } }),
  ).toMatchObject({
    sessionId: 'abc',
    status: 'completed',
    progress: { made: true },
    summary: 'did it',
    claimed: true,
    changes: changed(1),
    verdict: 'failed',
  });
});

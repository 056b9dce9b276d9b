import { expect, test } from 'vitest';
import { encodeConfig, type FactData, type LoopConfigInput } from '../../protocol/index.ts';
import { configOf, fileGuard } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';

function reload(story: Story, config: LoopConfigInput, more: Partial<FactData<'config.changed'>> = {}): Story {
  const data = {
    config: encodeConfig(configOf({ baseline: false, iterationDelay: '0', ...config })),
    configHash: 'other',
  };
  return story.tell({ type: 'config.changed', data: { ...data, ...more } });
}

test('a loop that gets other checks is judged by these, and its guards are those that the fact has', () => {
  const story = startedStory({ guards: [fileGuard('a.sh', 'a')] })
    .run({ claimed: true })
    .gate({ verdict: 'failed' });
  story.advance();
  const guards = [fileGuard('a.sh', 'a'), fileGuard('b.sh', 'b')];
  reload(story, { verify: ['./b.sh'] }, { gate: { checks: ['./b.sh'], guards } });
  expect(story.loop.gate).toMatchObject({ checks: ['./b.sh'], guards });
  expect(story.loop.verification.latest).toBeUndefined();
  expect(story.next()).toMatchObject({ type: 'begin', iteration: 2 });
});

test.each(['verifying', 'verified'] as const)('an attempt that is %s is verified again with other checks', (stage) => {
  const story = startedStory().reach(stage);
  reload(story, { verify: ['./b.sh'] }, { gate: { checks: ['./b.sh'] } });
  expect(story.loop.position.current).toMatchObject({ stage: 'executed' });
  expect(story.next()).toMatchObject({ type: 'verify', iteration: 1 });
});

test('a completion that earlier checks proved does not count for other checks', () => {
  const story = startedStory().run({ claimed: true }).gate({ verdict: 'passed' });
  const action = story.next();
  if (action.type !== 'record') throw new Error(`expected facts, not ${action.type}`);
  story.tell(...action.facts);
  expect(story.loop.position.earned).toBe('verified');
  reload(story, { verify: ['./b.sh'] }, { gate: { checks: ['./b.sh'] } });
  expect(story.next()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('before the first iteration other checks get a baseline of their own', () => {
  const story = startedStory({ config: { baseline: true } });
  const checks = [{ command: 'npm test', verdict: 'failed' as const, durationMs: 1, output: '' }];
  story.tell({ type: 'baseline.finished', data: { verdict: 'failed', checks, elapsedMs: 1 } });
  reload(story, { baseline: true, verify: ['./b.sh'] }, { gate: { checks: ['./b.sh'] } });
  expect(story.next()).toEqual({ type: 'baseline' });
});

test('another agent starts a new session with a handover, and the loop names that agent', () => {
  const session = { strategy: 'continue' } as const;
  const story = startedStory({ config: { agent: 'claude', session } }).run({ sessionId: 'one' });
  story.advance();
  expect(story.next()).toMatchObject({ type: 'begin', session: 'continue', sessionId: 'one' });
  reload(story, { agent: 'codex', session }, { task: 'Another task' });
  expect(story.loop.origin).toMatchObject({ agent: 'codex', task: 'Another task' });
  expect(story.next()).toMatchObject({ type: 'begin', session: 'fresh', handOff: true });
});

test('settings without checks change neither the gate nor the session', () => {
  const session = { strategy: 'continue' } as const;
  const story = startedStory({ config: { agent: 'claude', session } }).run({ sessionId: 'one' });
  story.advance();
  const { gate, verification, position } = story.loop;
  reload(story, { agent: 'claude', model: 'other', session });
  expect(story.loop).toMatchObject({ gate, verification, position });
  expect(story.next()).toMatchObject({ type: 'begin', session: 'continue' });
});

test('the settings that were chosen for a loop are remembered', () => {
  const story = reload(startedStory(), {}, { chosen: ['maxIterations'] });
  expect(story.loop.origin.chosen).toEqual(['maxIterations']);
  expect(reload(story, {}).loop.origin.chosen).toEqual(['maxIterations']);
});

import { expect, test } from 'vitest';
import { configSchema, encodeConfig, type LoopConfigInput } from '../../../protocol/index.ts';
import { type Story, startedStory } from '../../testing/story.ts';
import { standings } from '../stop-rules.ts';

const file = (path: string) => ({ type: 'file_created' as const, path });
const outputs = (text: string) => ({ type: 'output_pattern' as const, text });
type Sets = NonNullable<LoopConfigInput['stopConditions']>;

/** A user resumes a paused loop with other conditions. */
function change(story: Story, stopConditions: Sets): Story {
  const config = configSchema.parse({ ...encodeConfig(story.loop.config), stopConditions });
  story.tell({ type: 'config.changed', data: { config: encodeConfig(config), configHash: '' } });
  return story.command({ command: 'resume' });
}

function keysMet(story: Story): readonly (string | undefined)[] {
  return standings(story.loop).flatMap(({ key, near }) => (near === 1 ? [key] : []));
}

test('B042: conditions may be added and removed while a loop is paused, and results stay with their condition', () => {
  const before: Sets = { success: [file('a'), outputs('x'), file('b')], stop: [] };
  const story = startedStory({ config: { stopConditions: before } }).run({ outputMatches: ['success.1'] });
  const results = [
    { key: 'success.0', met: true },
    { key: 'success.2', met: false },
  ];
  story.tell({ type: 'conditions.observed', data: { ...story.attempt, results } });
  story.command({ command: 'pause', now: true }).advance();
  change(story, { success: [file('b'), file('new'), file('a'), outputs('y'), outputs('x')], stop: [] });
  expect(keysMet(story)).toEqual(['success.4', 'success.2']);
  expect(story.loop.signals.observed).toEqual([
    { key: 'success.0', met: false },
    { key: 'success.2', met: true },
  ]);
});

test('B042: a run that waits to be judged is observed again for a new condition', () => {
  const config = { stopConditions: { stop: [file('a')] } };
  const story = startedStory({ config }).run({ claimed: true });
  story.tell({ type: 'conditions.observed', data: { ...story.attempt, results: [{ key: 'stop.0', met: false }] } });
  story.command({ command: 'pause', now: true }).advance();
  expect(story.loop.position.current).toMatchObject({ isObserved: true });
  expect(change(story, { stop: [file('a'), file('b')] }).advance()).toMatchObject({ type: 'observe' });
});

test('B042: a condition or pattern that was met stops nothing once it is removed', () => {
  const broke = { outcome: 'refused', error: 'FATAL: no space' } as const;
  const config = { stopConditions: { stop: [{ type: 'on_error' as const }], stopOnPatterns: ['FATAL'] } };
  const story = startedStory({ config }).run(broke).command({ command: 'pause' });
  story.advance();
  expect(story.loop).toMatchObject({
    status: 'paused',
    signals: { matchedPattern: 'FATAL', lastFailure: { matches: ['stop.0'] } },
  });
  change(story, { stop: [{ type: 'on_error', pattern: 'disk' }] });
  expect(keysMet(story)).toEqual([]);
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('B042: raising a limit among the conditions lets the loop continue', () => {
  const stop = (count: number) => ({ stop: [{ type: 'max_iterations' as const, count }] });
  const story = startedStory({ config: { onLimit: 'pause', stopConditions: stop(1) } }).run();
  story.advance();
  expect(story.loop).toMatchObject({ status: 'paused', outcome: { reason: 'max_iterations' } });
  expect(change(story, stop(2)).advance()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('B042: the same conditions change nothing', () => {
  const story = startedStory({ config: { agent: 'command', stopConditions: { stop: [file('a')] } } });
  const { config, ...before } = story.loop;
  story.tell({
    type: 'config.changed',
    data: { config: encodeConfig({ ...config, maxIterations: 7 }), configHash: '' },
  });
  expect(story.loop).toMatchObject({
    ...before,
    configHash: '',
    journal: { ...before.journal, seq: 2 },
    config: { maxIterations: 7 },
  });
});

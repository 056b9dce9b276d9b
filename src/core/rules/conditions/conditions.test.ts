import { expect, test } from 'vitest';
import type { ConditionInput, LoopConfigInput } from '../../../protocol/index.ts';
import { configOf, counts } from '../../testing/facts.ts';
import { type Story, startedStory } from '../../testing/story.ts';
import { standings } from '../stop-rules.ts';
import { observableConditions, patternsIn } from './entries.ts';
import { outputMatches } from './matches.ts';

type Sets = NonNullable<LoopConfigInput['stopConditions']>;

function storyWith(
  sets: Sets,
  { config = {}, checks = ['npm test'] }: { config?: LoopConfigInput; checks?: string[] } = {},
) {
  return startedStory({ config: { ...config, stopConditions: sets }, checks });
}

function observed(story: Story, ...results: readonly (readonly [string, boolean | null])[]): Story {
  const observed = results.map(([key, met]) => ({ key, met }));
  return story.tell({ type: 'conditions.observed', data: { ...story.attempt, results: observed } });
}

const file: ConditionInput = { type: 'file_created', path: 'x' };
const said: ConditionInput = { type: 'output_pattern', text: 'stuck' };

test('A044, B038: a file is checked once, after the run and before the iteration is over', () => {
  const story = storyWith({ stop: [file] }).run();
  expect(story.advance()).toEqual({ type: 'observe', iteration: 1, attempt: 1 });
  observed(story, ['stop.0', false]);
  expect(story.loop.position.current?.isObserved).toBe(true);
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('A044: a condition to stop that is met ends the loop before another iteration and is named', () => {
  const story = storyWith({ stop: [said, file] }).run();
  observed(story, ['stop.1', true]);
  expect(story.advance()).toEqual({ type: 'none' });
  expect(story.facts.find(({ type }) => type === 'stop_rule.triggered')?.data).toEqual({
    rule: 'condition',
    condition: 'stop.1',
    message: 'the file x exists (met)',
    evidence: ['met'],
    elapsedMs: 0,
  });
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'condition' }, position: { finished: 1 } });
});

test.each<[ConditionInput, string]>([
  [{ type: 'max_iterations', count: 1 }, 'max_iterations'],
  [{ type: 'output_pattern', text: 'stuck' }, 'pattern'],
  [{ type: 'no_progress', count: 1 }, 'no_progress'],
  [{ type: 'on_error' }, 'condition'],
  [{ type: 'on_error', pattern: 'broke' }, 'pattern'],
  [{ type: 'any', conditions: [{ type: 'max_iterations', count: 1 }] }, 'condition'],
])('A012, B038: %j ends the loop for the reason %s', (condition, reason) => {
  const nothing = { known: true, headMoved: false, modified: [], created: [], deleted: [], count: 0 };
  const story = storyWith({ stop: [condition] }).run({
    outcome: 'refused',
    error: 'it broke',
    outputMatches: ['stop.0'],
    changes: nothing,
  });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason } });
});

test('A013: a plain script that exits with 0 stops the loop for the reason script', () => {
  const story = storyWith({ customScripts: [['./enough.sh']], scriptTimeout: '7s' }).run();
  expect(observableConditions(story.loop.config)).toEqual([
    { key: 'customScripts.0', condition: { type: 'custom_script', run: ['./enough.sh'], timeout: 7_000 } },
  ]);
  observed(story, ['customScripts.0', true]).advance();
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'script' } });
});

test('R4: a limit among the conditions stays a limit', () => {
  const story = storyWith({ stop: [{ type: 'max_iterations', count: 1 }] }, { config: { onLimit: 'pause' } }).run();
  story.advance();
  expect(story.loop).toMatchObject({ status: 'paused', outcome: { reason: 'max_iterations' } });
});

test('B039, B040: failure is named before everything else, then the most urgent', () => {
  const story = storyWith({
    stop: [file, { type: 'user_signal' }, { type: 'never' }, { type: 'max_iterations', count: 9 }, said],
    failure: [{ type: 'not', condition: { type: 'never' } }, file],
    success: [{ type: 'all_tests_pass' }],
  });
  expect(standings(story.loop).map(({ key, rule }) => key ?? rule)).toEqual([
    'failure.1',
    'failure.0',
    'stop.1',
    'max_iterations',
    'stop.3',
    'same_error',
    'iteration_failures',
    'test_failures',
    'no_progress',
    'stop.4',
    'stop.0',
    'stop.2',
    'success.0',
  ]);
  expect(standings(story.loop).at(-1)).toEqual({
    rule: 'completed',
    kind: 'rule',
    near: null,
    evidence: 'no tests were run',
    set: 'success',
    key: 'success.0',
    description: 'all tests pass',
  });
});

test('R4: a condition for success is a claim: the gate runs, and only the gate completes the loop', () => {
  const story = storyWith({ success: [file] }).run();
  observed(story, ['success.0', true]);
  expect(story.advance()).toEqual({ type: 'verify', iteration: 1, attempt: 1, conditions: ['success.0'] });
  story.gate({ verdict: 'failed' });
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
  observed(story.run(), ['success.0', true]).advance();
  story.gate({ verdict: 'passed' });
  expect(story.advance()).toEqual({ type: 'finalize' });
  expect(story.loop.outcome.verified).toBe(true);
});

test('R4: a condition for success that only tests could decide triggers the gate', () => {
  const tested: ConditionInput = {
    type: 'all',
    conditions: [{ type: 'all_tests_pass' }, { type: 'max_iterations', count: 2 }],
  };
  const story = storyWith({ success: [tested] }).run();
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
  expect(story.run().advance()).toMatchObject({ type: 'verify', conditions: ['success.0'] });
});

test('a gate that a condition asked for is run after a crash, whether or not the condition is still met', () => {
  const early: ConditionInput = { type: 'not', condition: { type: 'max_duration', duration: '1h' } };
  const story = storyWith({ success: [early] }).run();
  expect(story.advance()).toMatchObject({ type: 'verify' });
  story.tell({ type: 'gate.started', data: { ...story.attempt, conditions: ['success.0'] } });
  story.tell({ type: 'loop.paused', data: { reason: 'user_pause', message: 'x', elapsedMs: 3_600_000 } });
  story.tell({ type: 'command.accepted', data: { id: 'r', command: 'resume' } });
  expect(story.advance()).toMatchObject({ type: 'verify' });
});

test('B041: a condition for failure that is met overrides one for success', () => {
  const story = storyWith({ success: [file], failure: [said] }).run({ outputMatches: ['failure.0'] });
  observed(story, ['success.0', true]).advance();
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'pattern' } });
  expect(story.facts.map(({ type }) => type)).not.toContain('gate.started');
});

test('R4: what the gate proves is done, even if a condition for failure is met', () => {
  const story = storyWith({ failure: [said] }).run({ claimed: true, outputMatches: ['failure.0'] });
  story.advance();
  story.gate({ verdict: 'passed' });
  expect(story.advance()).toEqual({ type: 'finalize' });
});

test('R4: without checks a trusted condition for success completes the loop, unverified', () => {
  const trusting = { config: { trustPromise: true }, checks: [] };
  const story = observed(storyWith({ success: [file] }, trusting).run(), ['success.0', true]);
  expect(story.advance()).toEqual({ type: 'finalize' });
  expect(story.loop.outcome.verified).toBe(false);
  const unknown = observed(storyWith({ success: [file] }, trusting).run(), ['success.0', null]);
  expect(unknown.advance()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('tests count only for the iteration in which they ran', () => {
  const passing = { ...counts(1), passing: ['adds'] };
  const tested: ConditionInput = { type: 'specific_tests_pass', tests: ['adds'] };
  const late: ConditionInput = { type: 'all', conditions: [tested, { type: 'max_iterations', count: 2 }] };
  const story = storyWith({ stop: [late] }).run({ claimed: true });
  story.advance();
  story.gate({ verdict: 'failed', tests: passing });
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
  expect(story.run().advance()).toMatchObject({ type: 'begin', iteration: 3 });
});

test('the output of the agent counts for its latest run only', () => {
  const late: ConditionInput = { type: 'all', conditions: [said, { type: 'max_iterations', count: 2 }] };
  const story = storyWith({ stop: [late] }).run({ outputMatches: ['stop.0.conditions.0'] });
  story.advance();
  expect(story.run().advance()).toMatchObject({ type: 'begin', iteration: 3 });
});

test.each([
  ['a provider limit', { outcome: 'rate_limited' }],
  ['a run that was lost', { outcome: 'interrupted', ending: { kind: 'lost' } }],
] as const)('nothing is observed after %s', (_what, run) => {
  const story = storyWith({ stop: [file] }).run(run);
  expect(story.advance().type).not.toBe('observe');
});

test('a wait ends when a condition on running time is reached', () => {
  const hour: ConditionInput = {
    type: 'not',
    condition: { type: 'not', condition: { type: 'max_duration', duration: '1h' } },
  };
  const story = storyWith({ failure: [hour] }).run({ outcome: 'rate_limited', resetAt: '2026-11-02T12:00:00.000Z' });
  const action = story.advance();
  const startedMs = Date.parse(story.loop.origin.startedAt ?? '');
  expect(action).toMatchObject({ type: 'wait', until: new Date(startedMs + 3_600_000).toISOString() });
});

test('B038: the output of an agent is matched against texts and patterns, and the places of those that match are kept', () => {
  const config = configOf({
    stopConditions: {
      stop: [said, { type: 'not', condition: { type: 'output_pattern', pattern: '(?i)GIVING\\s+up' } }],
      success: [{ type: 'output_pattern', text: 'a.b' }],
      failure: [{ type: 'on_error', pattern: 'z' }],
    },
  });
  expect(outputMatches(config, 'I am stuck and\ngiving  up on axb')).toEqual(['stop.0', 'stop.1.condition']);
  expect(
    patternsIn(config)
      .map(({ pattern }) => pattern)
      .toSorted(),
  ).toEqual(['(?i)GIVING\\s+up', 'z']);
});

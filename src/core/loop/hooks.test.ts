import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HookPoint, hookPoints, type LoopConfigInput, type Verdict } from '../../protocol/index.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import { changed, hook } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { hooksAfter, hooksBefore, type Outcome } from './hooks.ts';

type Hooks = NonNullable<LoopConfigInput['hooks']>;

const worked: Outcome = { status: 'completed', progress: { made: true, evidence: [] } };

function storyWith(hooks: Hooks, config: LoopConfigInput = {}): Story {
  return startedStory({ config: { ...config, hooks } });
}

function attemptAt(iteration: number): CurrentAttempt {
  const { current } = startedStory().reach('begun').loop.position;
  if (current === undefined) throw new Error('no attempt is under way');
  return { ...current, iteration };
}

function namesBefore(hooks: Hooks, iteration = 1): readonly string[] {
  return hooksBefore(storyWith(hooks).loop, attemptAt(iteration)).map(({ name }) => name);
}

test('B069: hooks run by priority, and in the order in which they are written if it is the same', () => {
  const hooks = [
    hook('c'),
    hook('d'),
    hook('a', { priority: 9 }),
    hook('e', { priority: -1 }),
    hook('b', { priority: 1 }),
  ];
  expect(namesBefore(hooks)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('B069: a hook that is disabled, for another point or for every third iteration does not run out of turn', () => {
  const hooks = [
    hook('off', { enabled: false }),
    hook('after', { at: ['post_iteration'] }),
    hook('third', { everyN: 3 }),
  ];
  expect([1, 2, 3, 4, 6].map((iteration) => namesBefore(hooks, iteration))).toEqual([[], [], ['third'], [], ['third']]);
});

const outcomes: readonly [string, Partial<Outcome> & { readonly verdict?: Verdict }, readonly HookPoint[]][] = [
  ['an iteration with progress', {}, ['post_iteration', 'on_progress']],
  ['one without', { progress: { made: false, evidence: [] } }, ['post_iteration', 'on_no_progress']],
  ['one whose progress is unknown', { progress: { made: null, evidence: [] } }, ['post_iteration']],
  ['checks that passed', { verdict: 'passed' }, ['post_iteration', 'on_progress', 'on_test_success']],
  ['checks that failed', { verdict: 'failed' }, ['post_iteration', 'on_progress', 'on_test_failure']],
  ['checks that contradict', { verdict: 'contradicted' }, ['post_iteration', 'on_progress', 'on_test_failure']],
  ['checks of no work', { verdict: 'unchanged' }, ['post_iteration', 'on_progress']],
  ['checks that were not found', { verdict: 'not_found' }, ['post_iteration', 'on_progress']],
  ['a failed iteration', { status: 'failed' }, ['post_iteration', 'on_progress', 'on_error']],
  ['one that timed out', { status: 'timed_out' }, ['post_iteration', 'on_progress', 'on_error']],
  ['one that was given up', { status: 'skipped' }, []],
];

test.each(outcomes)('B068: the points of %s', (_case, { verdict, ...outcome }, reached) => {
  const hooks = hookPoints.filter((at) => at !== 'pre_iteration').map((at) => hook(at, { at: [at] }));
  const gate = verdict && { gate: { verdict, checks: [], durationMs: 1 } };
  const due = hooksAfter(storyWith(hooks).loop, { ...attemptAt(1), ...gate }, { ...worked, ...outcome });
  expect(due.filter(({ point }) => point !== 'post_session')).toEqual(reached.map((point) => ({ name: point, point })));
});

test('B068: files that the agent changed reach their own point', () => {
  const hooks = [hook('changed', { at: ['on_file_change'] })];
  const { loop } = storyWith(hooks).reach('executed', { changes: changed(2) });
  const { current } = loop.position;
  expect(current && hooksAfter(loop, current, worked)).toEqual([{ name: 'changed', point: 'on_file_change' }]);
  expect(hooksAfter(loop, attemptAt(1), worked)).toEqual([]);
});

test('B068: a session begins before the agent and is over after it, unless the next iteration continues it', () => {
  const hooks = [hook('begin', { at: ['pre_session'] }), hook('over', { at: ['post_session'] })];
  const names = (story: Story) => {
    const { current } = story.loop.position;
    if (current === undefined) return [];
    const due = current.stage === 'begun' ? hooksBefore(story.loop, current) : hooksAfter(story.loop, current, worked);
    return due.map(({ name }) => name);
  };
  const fresh = storyWith(hooks).begin();
  expect(names(fresh)).toEqual(['begin']);
  expect(names(fresh.hooks('pre_iteration').reachFromHere('verified', { sessionId: 'one' }))).toEqual(['over']);

  const continued = storyWith(hooks, { session: { strategy: 'continue' } }).begin();
  expect(names(continued)).toEqual(['begin']);
  expect(names(continued.hooks('pre_iteration').reachFromHere('verified', { sessionId: 'one' }))).toEqual([]);
  expect(names(continued.begin())).toEqual([]);
  expect(names(continued.reachFromHere('verified', { sessionId: 'one' }))).toEqual([]);

  const nameless = storyWith(hooks, { session: { strategy: 'continue' } }).begin();
  expect(names(nameless.hooks('pre_iteration').reachFromHere('verified'))).toEqual(['over']);
});

test('B069: a hook may be for certain modes, and for checks that passed or failed', () => {
  const at: HookPoint[] = ['post_iteration'];
  const hooks = [
    hook('attended', { at, inMode: ['attended', 'hybrid'] }),
    hook('alone', { at, inMode: ['unattended'] }),
    hook('green', { at, ifTestStatus: 'passed' }),
    hook('red', { at, ifTestStatus: 'failed' }),
  ];
  const names = (verdict: Verdict | undefined, config: LoopConfigInput = {}) => {
    const gate = verdict && { gate: { verdict, checks: [], durationMs: 1 } };
    const due = hooksAfter(storyWith(hooks, config).loop, { ...attemptAt(1), ...gate }, worked);
    return due.map(({ name }) => name);
  };
  expect(names(undefined)).toEqual(['alone']);
  expect(names('passed')).toEqual(['alone', 'green']);
  expect(names('timed_out')).toEqual(['alone', 'red']);
  expect(names('not_found', { mode: 'hybrid' })).toEqual(['attended']);
});

test('a hook that several points reach runs once, at the first that it names', () => {
  const many = hook('many', { at: ['on_error', 'on_progress', 'post_iteration'] });
  expect(hooksAfter(storyWith([many]).loop, attemptAt(1), worked)).toEqual([{ name: 'many', point: 'on_progress' }]);
});

test('B069: conditions test the status and the output', () => {
  const at: HookPoint[] = ['post_iteration'];
  const hooks = [
    hook('failed', { at, ifStatus: ['failed', 'timed_out'] }),
    hook('matched', { at, ifPattern: 'out of (disk|memory)' }),
  ];
  const { loop } = storyWith(hooks);
  const names = (outcome: Outcome, current = attemptAt(1)) =>
    hooksAfter(loop, current, outcome).map(({ name }) => name);
  const failure = { class: 'agent', message: 'it ran out of memory', signature: '' } as const;
  const check = { command: 'x', verdict: 'failed', durationMs: 1, output: 'out of disk' } as const;
  expect(names(worked)).toEqual([]);
  expect(names({ ...worked, status: 'failed', failure })).toEqual(['failed', 'matched']);
  const gate = { verdict: 'failed', checks: [check], durationMs: 1 } as const;
  expect(names(worked, { ...attemptAt(1), gate })).toEqual(['matched']);
});

test('whatever hooks there are, each runs at most once in a step and never out of order', () => {
  const hooks = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      at: fc.array(fc.constantFrom(...hookPoints), { minLength: 1 }),
      run: fc.constant('true'),
      priority: fc.integer({ min: -2, max: 2 }),
      enabled: fc.boolean(),
      everyN: fc.integer({ min: 1, max: 3 }),
    }),
    { selector: ({ name }) => name },
  );
  fc.assert(
    fc.property(hooks, fc.integer({ min: 1, max: 9 }), (given, iteration) => {
      const { loop } = storyWith(given);
      for (const due of [hooksBefore(loop, attemptAt(iteration)), hooksAfter(loop, attemptAt(iteration), worked)]) {
        const chosen = due.map(({ name }) => given.find((each) => each.name === name));
        expect(new Set(chosen).size).toBe(due.length);
        expect(chosen.every((each) => each?.enabled === true && iteration % each.everyN === 0)).toBe(true);
        const priorities = chosen.map((each) => each?.priority ?? 0);
        expect(priorities).toEqual(priorities.toSorted((left, right) => right - left));
      }
    }),
  );
});

import { expect, test } from 'vitest';
import { agentFinished } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';

test('R3 R8: a new owner of a loop between iterations simply continues', () => {
  const story = startedStory().run();
  story.advance();
  expect(story.takeOver().advance()).toMatchObject({ type: 'begin', iteration: 2, attempt: 1 });
  expect(story.loop).toMatchObject({ status: 'running', journal: { recoveries: 1, epoch: 2 } });
});

test.each(['begun', 'executing'] as const)(
  'R3: an attempt that was %s when its owner died is recovered before anything else',
  (stage) => {
    const story = startedStory().reach(stage).takeOver();
    expect(story.next()).toEqual({ type: 'recover', iteration: 1, attempt: 1 });
    for (const command of ['abort', 'skip', 'reboot'] as const) {
      expect(startedStory().reach(stage).takeOver().command({ command }).next()).toMatchObject({ type: 'recover' });
    }
  },
);

test('an attempt whose agent never ran costs nothing and keeps its number', () => {
  const story = startedStory().reach('begun').takeOver();
  const data = { ...story.attempt, cause: 'runner_lost', message: 'the owner died', elapsedMs: 0 } as const;
  story.tell({ type: 'iteration.interrupted', data });
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1, attempt: 2 });
  expect(story.loop.pending.retries).toEqual({ limit: 0, environment: 0, unknown: 0, reboot: 0 });
});

test('an agent that claimed and ended, but its exit was not recorded is verified like any other', () => {
  const story = startedStory().reach('executing').takeOver();
  story.tell(agentFinished(story.attempt, { outcome: 'unknown', ending: { kind: 'lost' }, claimed: true }));
  expect(story.advance()).toEqual({ type: 'verify', iteration: 1, attempt: 1 });
  expect(story.gate({ verdict: 'passed' }).advance()).toEqual({ type: 'finalize' });
});

test.each(['executed', 'verifying'] as const)(
  'an attempt that was %s when its owner died is verified, not run again',
  (stage) => {
    const story = startedStory().reach(stage).takeOver();
    expect(story.advance()).toEqual({ type: 'verify', iteration: 1, attempt: 1 });
    story.gate({ verdict: 'passed' });
    expect(story.advance()).toEqual({ type: 'finalize' });
  },
);

test('an attempt that was verified when its owner died is only judged', () => {
  const story = startedStory().reach('verified').takeOver();
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
});

test('a loop that was completing when its owner died is wrapped up by the next', () => {
  const story = startedStory().reach('executed').gate({ verdict: 'passed' });
  story.advance();
  expect(story.takeOver().next()).toEqual({ type: 'finalize' });
});

test('a second takeover of the same attempt decides like the first', () => {
  const story = startedStory().reach('executing').takeOver();
  const first = story.next();
  expect(story.takeOver().next()).toEqual(first);
});

test('baseline: the gate is tried once before the first iteration, and only if there is a gate', () => {
  expect(startedStory({ config: { baseline: true } }).next()).toEqual({ type: 'baseline' });
  expect(startedStory({ config: { baseline: true }, checks: [] }).next()).toMatchObject({ type: 'begin' });
  expect(startedStory({ config: { baseline: false } }).next()).toMatchObject({ type: 'begin' });
});

test('baseline: one that was never finished is tried again by the next owner', () => {
  expect(
    startedStory({ config: { baseline: true } })
      .takeOver()
      .next(),
  ).toEqual({ type: 'baseline' });
});

test.each(['passed', 'failed', 'timed_out', 'not_found', 'unverifiable'] as const)(
  'baseline: a verdict of %s neither completes nor blocks the loop, and its time counts',
  (verdict) => {
    const story = startedStory({ config: { baseline: true } });
    story.tell({ type: 'baseline.finished', data: { verdict, checks: [], elapsedMs: 250 } });
    expect(story.advance()).toMatchObject({ type: 'begin', iteration: 1, attempt: 1 });
    expect(story.loop).toMatchObject({
      status: 'running',
      totals: { runningMs: 250 },
      verification: { completionChecks: [] },
    });
  },
);

test('baseline: a pause before it comes first, and it follows the resume', () => {
  const story = startedStory({ config: { baseline: true } }).command({ command: 'pause' });
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.command({ command: 'resume' }).advance()).toEqual({ type: 'baseline' });
});

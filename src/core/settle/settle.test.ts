import { expect, test } from 'vitest';
import type { AgentOutcome, LoopConfigInput, Verdict } from '../../protocol/index.ts';
import { verdicts } from '../../protocol/index.ts';
import { changed, counts, type Run } from '../testing/facts.ts';
import { startedStory, storyStartMs } from '../testing/story.ts';

/** What follows from a first run: the facts, and the action after them. */
function after(run: Run, config: LoopConfigInput = {}) {
  const story = startedStory({ config }).run(run);
  const { seq } = story.loop.journal;
  const action = story.advance();
  return { story, types: story.typesSince(seq), action, loop: story.loop };
}

const broke: Run = { outcome: 'unknown', ending: { kind: 'exited', code: 1 } };
const nothing: Run = { outcome: 'unknown', ending: { kind: 'lost' } };

test.each<AgentOutcome>(['rate_limited', 'usage_limited'])(
  '%s costs no iteration and waits for the reset, also with exit 0',
  (outcome) => {
    const resetAt = new Date(storyStartMs + 3_600_000).toISOString();
    const { types, action, loop, story } = after({ outcome, resetAt, claimed: true });
    expect(types).toEqual(['iteration.interrupted', 'wait.scheduled']);
    expect(action).toMatchObject({ type: 'wait', cause: 'limit' });
    expect(Date.parse(loop.pending.wait?.until ?? '')).toBeGreaterThan(Date.parse(resetAt));
    expect(loop).toMatchObject({ position: { finished: 0 }, pending: { retries: { limit: 1 } }, phase: 'waiting' });
    expect(story.begin().attempt).toEqual({ iteration: 1, attempt: 2 });
  },
);

test('the wait for a limit survives the death of its owner', () => {
  const { story, loop } = after({
    outcome: 'usage_limited',
    resetAt: new Date(storyStartMs + 3_600_000).toISOString(),
  });
  expect(story.takeOver().advance()).toEqual({
    type: 'wait',
    cause: 'limit',
    until: loop.pending.wait?.until,
    isWhole: true,
  });
});

test('limits in a row wait longer and longer without ever costing an iteration', () => {
  const story = startedStory();
  const waits = Array.from({ length: 8 }, () => {
    const action = story.run({ outcome: 'rate_limited' }).advance();
    if (action.type !== 'wait') throw new Error(`expected a wait, not ${action.type}`);
    return Math.floor((Date.parse(action.until) - story.nowMs) / 60_000);
  });
  expect(waits).toEqual([...waits].toSorted((a, b) => a - b));
  expect(waits[0]).toBe(1);
  expect(waits.at(-1)).toBeGreaterThanOrEqual(60);
  expect(story.loop).toMatchObject({ position: { finished: 0 }, pending: { retries: { limit: 8 } } });
});

test('if waiting is not allowed, a limit pauses the loop with its reason', () => {
  const { types, action, loop } = after(
    { outcome: 'usage_limited', error: '5-hour limit' },
    { onProviderLimit: 'stop' },
  );
  expect(types).toEqual(['iteration.interrupted', 'loop.paused']);
  expect(action).toEqual({ type: 'rest' });
  expect(loop).toMatchObject({
    status: 'paused',
    outcome: { reason: 'provider_limit', message: '5-hour limit' },
    position: { finished: 0 },
  });
});

test.each<AgentOutcome>(['auth', 'billing', 'configuration'])(
  '%s stops at once, costs no iteration and reports the error of the agent',
  (outcome) => {
    const { types, action, loop } = after({ outcome, error: 'log in first' });
    expect(types).toEqual(['iteration.interrupted', 'loop.paused']);
    expect(action).toEqual({ type: 'rest' });
    expect(loop).toMatchObject({
      status: 'paused',
      outcome: { reason: 'configuration', message: 'log in first' },
      position: { finished: 0 },
    });
  },
);

test.each<[string, Run]>([
  ['a broken network', { outcome: 'transient' }],
  ['an agent that is not there', { outcome: 'unknown', ending: { kind: 'not_started', code: 'ENOENT', message: 'x' } }],
])('B061: %s is retried three times for free, then pauses the loop; a resume gives three more tries', (_case, run) => {
  const story = startedStory();
  for (const seconds of [5, 10, 20]) {
    const before = story.run(run).nowMs;
    expect(story.advance()).toMatchObject({ type: 'wait', cause: 'environment' });
    expect(Date.parse(story.loop.pending.wait?.until ?? '') - before).toBe(seconds * 1_000);
  }
  expect(story.run(run).advance()).toEqual({ type: 'rest' });
  expect(story.loop).toMatchObject({ status: 'paused', outcome: { reason: 'environment' }, position: { finished: 0 } });
  story.command({ command: 'resume' });
  expect(story.run(run).advance()).toMatchObject({ type: 'wait', cause: 'environment' });
  expect(story.loop).toMatchObject({ position: { iteration: 1, attempt: 5 } });
});

test('B061: a run without an outcome is retried three times for free and then counts as failed', () => {
  const story = startedStory();
  for (const seconds of [5, 10, 20]) {
    const before = story.run(nothing).nowMs;
    expect(story.advance()).toMatchObject({ type: 'wait', cause: 'unknown' });
    expect(Date.parse(story.loop.pending.wait?.until ?? '') - before).toBe(seconds * 1_000);
  }
  expect(story.run(nothing).advance()).toMatchObject({ type: 'begin', iteration: 2, attempt: 1 });
  expect(story.loop).toMatchObject({
    position: { finished: 1 },
    totals: { stats: { failedIterations: 1 } },
    signals: { lastFailure: { class: 'unknown', message: 'The agent ended, but its exit was not recorded.' } },
    pending: { retries: { unknown: 0 } },
  });
});

test('an iteration that counts resets all free retries', () => {
  const story = startedStory();
  for (const run of [nothing, { outcome: 'transient' }, { outcome: 'rate_limited' }, {}] as Run[]) {
    story.run(run).advance();
  }
  expect(story.loop.pending.retries).toEqual({ limit: 0, environment: 0, unknown: 0, reboot: 0 });
});

test.each<[string, Run, 'failed' | 'timed_out', string]>([
  ['a non-zero exit', broke, 'failed', 'The agent exited with code 1.'],
  [
    'a crash',
    { ...broke, ending: { kind: 'signalled', signal: 'SIGSEGV' } },
    'failed',
    'The agent was killed by SIGSEGV.',
  ],
  [
    'a timeout',
    { ...broke, ending: { kind: 'stopped', by: 'timeout', forced: true } },
    'timed_out',
    'Iteration 1 was ended after 30m, its timeout.',
  ],
  [
    'a stall',
    { ...broke, ending: { kind: 'stopped', by: 'idle', forced: false } },
    'timed_out',
    'Iteration 1 was ended after 15m without any sign of life of the agent.',
  ],
  ['a refusal', { outcome: 'refused', error: 'I cannot do that' }, 'failed', 'I cannot do that'],
  ['a full context', { outcome: 'context_overflow', error: 'too long' }, 'failed', 'too long'],
])('A047 A074 A078: %s costs the iteration and keeps its message', (_case, run, status, message) => {
  const { story, types, action } = after(run);
  expect(types).toEqual(['iteration.finished']);
  expect(story.facts.at(-1)).toMatchObject({ data: { status, failure: { class: 'agent', message } } });
  expect(action).toMatchObject({ type: 'begin', iteration: 2, attempt: 1 });
});

test('an agent that gave its result and then hung has done its iteration', () => {
  const { story } = after({ outcome: 'completed', ending: { kind: 'stopped', by: 'idle', forced: true } });
  expect(story.facts.at(-1)).toMatchObject({ data: { status: 'completed' } });
});

test('R6 R15: a claim alone completes nothing; the gate runs', () => {
  expect(after({ claimed: true }).action).toEqual({ type: 'verify', iteration: 1, attempt: 1 });
  expect(after({ claimed: true }).types).toEqual([]);
});

test('a run that claims nothing is not verified, unless the loop has no promise', () => {
  expect(after({ claimed: false }).action).toMatchObject({ type: 'begin', iteration: 2 });
  expect(after({ claimed: false }, { completionPromise: null }).action).toMatchObject({ type: 'verify' });
});

test.each<[string, Run, boolean]>([
  ['a limit', { outcome: 'rate_limited' }, false],
  ['a broken environment', { outcome: 'transient' }, false],
  ['a wrong configuration', { outcome: 'auth' }, false],
  ['a failed agent', broke, true],
  ['an agent that said nothing', nothing, true],
])('whether a claim together with %s triggers the gate depends on what caused the failure', (_case, run, verified) => {
  expect(after({ ...run, claimed: true }).action.type === 'verify').toBe(verified);
});

test.each(verdicts)('R6 A171: only a gate that passed completes; this one is %s', (verdict: Verdict) => {
  const story = startedStory().run({ claimed: true }).gate({ verdict, output: 'what it printed' });
  const action = story.advance();
  expect(action.type).toBe(verdict === 'passed' ? 'finalize' : 'begin');
  expect(story.loop.status).toBe(verdict === 'passed' ? 'completing' : 'running');
  expect(story.loop.outcome.verified).toBe(verdict === 'passed');
  expect(story.loop.verification.completionChecks).toEqual([
    {
      iteration: 1,
      at: '2026-11-01T12:00:00.000Z',
      passed: verdict === 'passed',
      ...(verdict === 'unchanged' ? { isUnchanged: true } : {}),
      output: `npm test: ${verdict}\nwhat it printed`,
    },
  ]);
});

test.each<[string, Run]>([
  ['failed', broke],
  ['said nothing', nothing],
])('a claim whose gate passed completes the loop even if the agent %s', (_case, run) => {
  const story = startedStory()
    .run({ ...run, claimed: true })
    .gate({ verdict: 'passed' });
  expect(story.advance()).toEqual({ type: 'finalize' });
  expect(story.loop).toMatchObject({ status: 'completing', outcome: { verified: true }, position: { finished: 1 } });
});

test.each<[string, LoopConfigInput, readonly string[], Run, boolean]>([
  ['trusted and claimed', { trustPromise: true }, [], { claimed: true }, true],
  ['trusted, not claimed', { trustPromise: true }, [], {}, false],
  ['trusted, claimed by a failed agent', { trustPromise: true }, [], { ...broke, claimed: true }, false],
  ['claimed, not trusted', {}, [], { claimed: true }, false],
  ['trusted, but there are checks', { trustPromise: true }, ['npm test'], { claimed: true }, false],
])(
  'R15: without checks the promise completes only when it may be trusted: %s',
  (_case, config, checks, run, completes) => {
    const story = startedStory({ config, checks: [...checks] }).run(run);
    story.advance();
    expect(story.loop.status === 'completing').toBe(completes);
    expect(story.loop.outcome.verified).toBe(false);
  },
);

test('R4 R9: completion on the last allowed iteration is completion, whatever limit it reaches', () => {
  const config = { maxIterations: 1, maxTokens: 1, maxCostUsd: 0.01, maxTime: '1s' };
  const story = startedStory({ config }).run({ claimed: true, usage: { inputTokens: 9, costUsd: 9 } });
  story.gate({ verdict: 'passed' });
  expect(story.advance(60_000)).toEqual({ type: 'finalize' });
  expect(story.typesSince(0)).not.toContain('stop_rule.triggered');
});

test('A043 A065 R9: exactly N iterations run for a maximum of N', () => {
  const story = startedStory({ config: { maxIterations: 3 } });
  for (let run = 0; run < 3; run += 1) story.run().advance();
  expect(story.typesSince(0).filter((type) => type === 'iteration.started')).toHaveLength(3);
  expect(story.loop).toMatchObject({
    status: 'failed',
    outcome: { reason: 'max_iterations', message: '3 of 3 iterations' },
    position: { finished: 3 },
  });
});

test('the pause between two iterations is skipped when it is 0 and before a stop', () => {
  expect(after({}, { iterationDelay: '7s' })).toMatchObject({
    types: ['iteration.finished', 'wait.scheduled'],
    action: { type: 'wait', cause: 'delay', until: '2026-11-01T12:00:07.000Z' },
  });
  expect(after({}, { iterationDelay: '0' }).types).toEqual(['iteration.finished']);
  expect(after({}, { iterationDelay: '7s', maxIterations: 1 }).types).toEqual([
    'iteration.finished',
    'stop_rule.triggered',
    'loop.ended',
  ]);
});

const empty: Run = { empty: true, changes: changed(0) };

test('B134: a turn in which nothing was done is a failed iteration of the agent, and stops the loop when it happens again', () => {
  const { loop, story } = after(empty);
  expect(loop).toMatchObject({
    position: { finished: 1 },
    signals: { lastFailure: { class: 'agent' } },
    totals: { stats: { failedIterations: 1 } },
  });
  expect(loop.signals.lastFailure?.message).toBe('The agent exited with code 0 without a word, a tool or a token.');
  story.run(empty).advance();
  story.run(empty).advance();
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'same_error' } });
});

test.each<[string, Run]>([
  ['changes files', { empty: true }],
  ['commits', { empty: true, changes: changed(0, { headMoved: true }) }],
  ['cannot be watched', { empty: true, changes: changed(0, { known: false }) }],
])('B134: an agent that prints nothing and %s has not failed', (_what, run) => {
  expect(after(run).loop).toMatchObject({ position: { finished: 1 }, totals: { stats: { failedIterations: 0 } } });
});

test('B134: an empty turn is no quiet success: it completes only by a gate that passes, never by trust', () => {
  const proven = startedStory({ config: { completionPromise: null } })
    .run(empty)
    .gate({ verdict: 'passed' });
  proven.advance();
  expect(proven.loop).toMatchObject({
    status: 'completing',
    outcome: { verified: true },
    totals: { stats: { failedIterations: 0 } },
  });
  const better = startedStory({ config: { completionPromise: null } })
    .run()
    .gate({ verdict: 'failed', tests: counts(3) });
  better.advance();
  better.run(empty).gate({ verdict: 'failed', tests: counts(1) });
  better.advance();
  expect(better.loop.totals.stats.failedIterations).toBe(0);
  const success = [{ type: 'max_iterations' as const, count: 1 }];
  const config = { trustPromise: true, stopConditions: { success } };
  const trusting = startedStory({ checks: [], config }).run(empty);
  trusting.advance();
  expect(trusting.loop).toMatchObject({ status: 'running', totals: { stats: { failedIterations: 1 } } });
});

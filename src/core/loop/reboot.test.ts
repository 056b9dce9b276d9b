import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoopConfigInput, RebootCause } from '../../protocol/index.ts';
import { agentFinished, changed } from '../testing/facts.ts';
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

test('R23 B033 B037: a reboot that fails is tried again after a minute for each failure; after three the loop has failed', () => {
  const story = afterUsing(90);
  for (const seconds of [60, 120]) {
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

const minute = 60_000;

/** A loop in one session, after iterations of which each made progress or, for `false`, none. */
function afterIterations(progress: readonly boolean[], reboot: Reboot = {}, session: Session = {}): Story {
  const config: LoopConfigInput = { session: { strategy: 'continue', timeout: '30h', ...session, reboot } };
  const story = startedStory({ config });
  for (const [index, made] of progress.entries()) {
    const usage = { context: { used: 10 + index, size: 100 } };
    story.run({ sessionId: 'one', usage, changes: changed(made ? 1 : 0) }).advance();
  }
  return story;
}

type Session = NonNullable<LoopConfigInput['session']>;
type Reboot = NonNullable<Session['reboot']>;

const worse = [true, true, false, false, false];

test('B029 B034 B035: a session whose work gets worse is rebooted', () => {
  const story = afterIterations(worse);
  expect(story.next()).toEqual({ type: 'reboot', cause: 'degradation' });
  expect(afterIterations(worse, { onDegradation: false }).next().type).toBe('begin');
  expect(afterIterations([true, true, true, true, false]).next().type).toBe('begin');
});

test('B031 B032: a reboot resets what was counted in the session', () => {
  const story = reboot(afterIterations(worse), 'degradation');
  expect(story.loop.session.current).toBeUndefined();
  story.run({ sessionId: 'two', changes: changed(0) }).advance();
  expect(story.loop.session.current).toMatchObject({ iterations: 1, samples: [{ quality: 50 }] });
  expect(story.next()).toMatchObject({ type: 'begin', session: 'continue', sessionId: 'two' });
});

test('B032: the samples of a session are bounded', () => {
  const story = afterIterations(Array.from({ length: 12 }, () => true));
  expect(story.loop.session.current?.samples).toHaveLength(5);
});

test('B034 B035: a session is rebooted after a number of iterations', () => {
  expect(afterIterations([true, true], { afterIterations: 3 }).next().type).toBe('begin');
  expect(afterIterations([true, true, true], { afterIterations: 3 }).next()).toEqual({
    type: 'reboot',
    cause: 'iteration_limit',
  });
  expect(afterIterations([true], { afterIterations: 1 }).next().type).toBe('reboot');
});

test('B027 B034 B035: a pattern in the output reboots the session, once it has had three iterations', () => {
  const story = afterIterations([]);
  story.run({ sessionId: 'one', rebootPattern: 'as I said' }).advance();
  for (const type of ['begin', 'reboot']) {
    story.run({ sessionId: 'one' }).advance();
    expect(story.next().type).toBe(type);
  }
  expect(story.next()).toEqual({ type: 'reboot', cause: 'pattern' });
});

test('B035 R23: a session in which two runs in a row failed is replaced before the rule about errors ends the loop', () => {
  const story = startedStory({ config: continued });
  story.run({ sessionId: 'one', outcome: 'refused' }).advance();
  expect(story.next()).toMatchObject({ type: 'begin', session: 'continue' });
  story.run({ sessionId: 'one', outcome: 'refused' }).advance();
  expect(story.next()).toEqual({ type: 'reboot', cause: 'error' });
});

test('B033 B037: between two reboots are at least five minutes', () => {
  const story = reboot(afterIterations([true], { afterIterations: 1 }), 'iteration_limit');
  story.run({ sessionId: 'two' }).advance();
  expect(story.pass(5 * minute - 1).next().type).toBe('begin');
  expect(story.pass(1).next()).toEqual({ type: 'reboot', cause: 'iteration_limit' });
});

test('B033 B037: no more than ten reboots happen within an hour', () => {
  const story = afterIterations([], { afterIterations: 1 });
  for (let count = 0; count < 10; count += 1) {
    story
      .run({ sessionId: `${count}` })
      .pass(5 * minute)
      .advance();
    reboot(story, 'iteration_limit');
  }
  story
    .run({ sessionId: 'last' })
    .pass(14 * minute)
    .advance();
  expect(story.next().type).toBe('begin');
  expect(story.pass(minute).next().type).toBe('reboot');
});

test('R18: a session that is full or too old is replaced even if there were many reboots', () => {
  const story = afterUsing(90, { session: { strategy: 'continue', reboot: { maxPerHour: 1, minInterval: '10h' } } });
  reboot(story, 'redline')
    .run({ sessionId: 'two', usage: { context: { used: 99, size: 100 } } })
    .advance();
  expect(story.next()).toEqual({ type: 'reboot', cause: 'redline' });
  reboot(story, 'redline').run({ sessionId: 'three' }).advance();
  expect(story.pass(60 * minute).next()).toEqual({ type: 'reboot', cause: 'session_timeout' });
});

test('B036 B037: a reboot that a person asks for happens at once, whatever the limits', () => {
  const story = reboot(afterIterations([true], { minInterval: '10h', maxPerHour: 1 }, { autoReboot: false }), 'manual');
  story.run({ sessionId: 'two' }).advance();
  expect(story.command({ command: 'reboot' }).next()).toEqual({ type: 'reboot', cause: 'manual' });
});

test('B033 B036: a reboot that is not necessary and fails costs neither a wait nor the loop: the session goes on', () => {
  const story = afterIterations([true], { afterIterations: 1 });
  for (let count = 0; count < 5; count += 1) {
    expect(story.next()).toEqual({ type: 'reboot', cause: 'iteration_limit' });
    reboot(story, 'iteration_limit', false);
    expect(story.next()).toMatchObject({ type: 'begin', session: 'continue' });
    story.run({ sessionId: 'one' }).advance();
    expect(story.pass(4 * minute).next().type).toBe('begin');
    story.pass(minute);
  }
  expect(story.loop.status).toBe('running');
});

test('B033: a reboot that is not necessary and failed is tried again only after an iteration, even if the owner dies', () => {
  const story = reboot(afterIterations([true], { afterIterations: 1, minInterval: '0s' }), 'iteration_limit', false);
  story.reach('executing').takeOver();
  expect(story.advance().type).toBe('recover');
  story.tell(agentFinished(story.attempt, { outcome: 'interrupted', ending: { kind: 'lost' }, error: 'lost' }));
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2, attempt: 2, session: 'continue' });
  story.run({ sessionId: 'one' });
  expect(story.advance()).toEqual({ type: 'reboot', cause: 'iteration_limit' });
});

test('a clock that is set back holds back no reboot', () => {
  const story = reboot(afterIterations([true], { afterIterations: 1, minInterval: '10h' }), 'iteration_limit');
  story
    .pass(-60 * minute)
    .run({ sessionId: 'two' })
    .advance();
  expect(story.next().type).toBe('reboot');
});

test('B027: with automatic reboots off only a session that cannot take any more is replaced', () => {
  const off: LoopConfigInput = { session: { strategy: 'continue', autoReboot: false, timeout: '1m' } };
  expect(
    afterUsing(99, off)
      .pass(60 * minute)
      .advance(),
  ).toMatchObject({ type: 'begin', session: 'continue' });
  expect(afterUsing(100, off).advance()).toEqual({ type: 'reboot', cause: 'redline' });
  expect(afterIterations(worse, {}, { autoReboot: false }).next().type).toBe('begin');
});

test('B036 B037: the latest hundred reboots are kept, each with its iteration and its result', () => {
  const story = reboot(afterIterations([true, true]), 'manual');
  story.tell({ type: 'reboot.finished', data: { cause: 'manual', ok: false, message: 'x'.repeat(1_000) } });
  const [worked, failed] = story.loop.session.reboots ?? [];
  expect(worked).toEqual({ at: '2026-11-01T12:00:00.000Z', cause: 'manual', iteration: 2, ok: true });
  expect(failed).toMatchObject({ ok: false, iteration: 2 });
  expect(failed?.message).toHaveLength(200);
  for (let count = 0; count < 150; count += 1) reboot(story, 'manual');
  expect(story.loop.session.reboots).toHaveLength(100);
});

test('B031: whatever happens in sessions, nothing that is kept of them grows without bound', () => {
  const step = fc.record({ made: fc.boolean(), fails: fc.boolean(), used: fc.nat(100), session: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const story = startedStory({ config: { ...continued, maxIterations: 0, maxTime: '1000h', stopConditions: off } });
      for (const { made, fails, used, session } of steps) {
        while (story.advance().type === 'reboot') reboot(story, 'redline');
        const usage = { context: { used, size: 100 } };
        const outcome = fails ? 'refused' : 'completed';
        story.run({ sessionId: `${session}`, usage, outcome, changes: changed(made ? 1 : 0) }).advance();
      }
      const { current, reboots = [], history } = story.loop.session;
      expect(current?.samples?.length ?? 0).toBeLessThanOrEqual(Math.min(5, current?.iterations ?? 0));
      expect(reboots.length).toBeLessThanOrEqual(100);
      expect(history.length).toBeLessThanOrEqual(20);
    }),
    { numRuns: 50 },
  );
});

const off = {
  maxNoProgressIterations: 0,
  maxSameErrorStreak: 0,
  maxIterationFailureStreak: 0,
  maxTestFailureStreak: 0,
};

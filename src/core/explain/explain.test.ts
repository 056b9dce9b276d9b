import { expect, test } from 'vitest';
import { statuses, stopReasons } from '../../protocol/index.ts';
import { edit } from '../state/edits.ts';
import { expectExplained } from '../testing/explained.ts';
import { changed, counts } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { explain } from './explain.ts';
import { plainResume } from './next-steps.ts';

const minute = 60_000;
const still = { changes: changed(0) };

function accountOf(story: Story) {
  const explanation = explain(story.loop, { nowMs: story.nowMs });
  expectExplained(explanation);
  const { situation, because, evidence, next } = explanation;
  return { situation, because, evidence, next };
}

test('whatever its status and reason, a loop is explained, with a next step', () => {
  const { loop } = startedStory();
  for (const status of [...statuses, 'idle'] as const) {
    for (const reason of [...stopReasons, undefined]) {
      for (const message of ['it says why', '', undefined]) {
        const known = edit(loop, { status, outcome: { reason, message } });
        expectExplained(explain(known, { nowMs: 0 }));
        expectExplained(explain(known, { nowMs: 0, shownStatus: 'crashed' }));
      }
    }
  }
});

test('a loop at work: what it does now, and which rule would end it next', () => {
  const story = startedStory({ config: { stopConditions: { maxNoProgressIterations: 3 } } });
  story.run(still).advance();
  story.reach('executing');
  expect(accountOf(story)).toMatchObject({
    situation: { kind: 'working', iteration: 2, stage: 'executing' },
    because: [{ kind: 'next_stop', standing: { rule: 'no_progress' }, outcome: 'end', left: 2 }],
    evidence: [{ kind: 'progress', finished: 1, lastProgress: 0 }],
    next: [{ step: 'status' }, { step: 'pause' }],
  });
  expect(accountOf(startedStory({ config: { maxIterations: 1, onLimit: 'pause' } })).because).toMatchObject([
    { kind: 'next_stop', standing: { rule: 'max_iterations' }, outcome: 'pause', left: 1 },
  ]);
});

test('a loop that waits: how long, for what, and how to end the wait', () => {
  const story = startedStory();
  const resetAt = new Date(story.nowMs + 134 * minute).toISOString();
  story.run({ outcome: 'usage_limited', resetAt, error: 'You have hit your limit' }).advance();
  const { situation, because, next } = accountOf(story);
  expect(situation).toMatchObject({ kind: 'waiting', cause: 'limit' });
  expect('leftMs' in situation && Math.floor(situation.leftMs / minute)).toBeOneOf([134, 135]);
  expect(because).toMatchObject([
    { kind: 'message', text: 'You have hit your limit' },
    { kind: 'next_stop', left: 100 },
  ]);
  expect(next).toEqual([{ step: 'retry' }, { step: 'status' }, { step: 'pause' }]);
  story.command({ command: 'pause' }).advance();
  expect(accountOf(story).because).toMatchObject([{ kind: 'message' }, { kind: 'wait_left' }]);
});

test('a loop that gets nowhere: guidance comes first', () => {
  const story = startedStory({ config: { stopConditions: { maxNoProgressIterations: 9 } } });
  for (let iteration = 1; iteration <= 4; iteration += 1) story.run(still).advance();
  expect(accountOf(story)).toMatchObject({
    because: [{ kind: 'next_stop', standing: { rule: 'no_progress' }, left: 5 }],
    next: [{ step: 'guide' }, { step: 'status' }, { step: 'pause' }],
  });
});

test('a completed loop: what proved it, or that nothing did', () => {
  const proven = startedStory({ config: { baseline: true } })
    .tell({ type: 'baseline.finished', data: { verdict: 'failed', checks: [], elapsedMs: 0 } })
    .run({ claimed: true })
    .gate({ verdict: 'passed', tests: counts(0) });
  proven.advance();
  const end = { status: 'completed', reason: 'completed', message: 'done', elapsedMs: 0 } as const;
  proven.tell({ type: 'loop.ended', data: { ...end, verified: true } });
  expect(accountOf(proven)).toEqual({
    situation: { kind: 'proven', failedTests: 0, hadPassedBefore: false, isDoubtful: false },
    because: [{ kind: 'checks_passed', iteration: 1 }],
    evidence: [
      { kind: 'check', command: 'npm test', verdict: 'passed' },
      { kind: 'tests', passed: 10, total: 10, failed: 0, framework: 'tap' },
      { kind: 'work', finished: 1, failed: 0, lastProgress: 1 },
    ],
    next: [{ step: 'report' }, { step: 'status' }],
  });
  expect(explain(proven.loop, { nowMs: 0 }).rules).toEqual([]);
  const trusted = startedStory({ checks: [], config: { trustPromise: true } }).run({ claimed: true });
  trusted.advance();
  trusted.tell({ type: 'loop.ended', data: { ...end, verified: false } });
  expect(accountOf(trusted)).toMatchObject({
    situation: { kind: 'trusted' },
    next: [{ step: 'start', verify: true }, { step: 'report' }, { step: 'status' }],
  });
});

test('a loop that a limit ended or paused: how far to raise it', () => {
  const ended = startedStory({ config: { maxIterations: 2 } });
  ended
    .run({ claimed: true })
    .gate({ verdict: 'failed', tests: counts(3) })
    .advance();
  ended.run().advance();
  ended.advance();
  expect(accountOf(ended)).toMatchObject({
    situation: { kind: 'failed', reason: 'max_iterations' },
    because: [{ kind: 'message', text: '2 of 2 iterations' }],
    evidence: [
      { kind: 'check', command: 'npm test', verdict: 'failed', iteration: 1 },
      { kind: 'tests', passed: 7, total: 10, failed: 3, framework: 'tap' },
      { kind: 'work', finished: 2, failed: 0, lastProgress: 2 },
    ],
    next: [{ step: 'start', raise: [{ setting: 'maxIterations', to: 4 }] }, { step: 'status' }],
  });
  const paused = startedStory({ config: { maxTime: '90m', onLimit: 'pause' } });
  paused.run();
  paused.advance(90 * minute);
  paused.advance();
  expect(accountOf(paused)).toMatchObject({
    situation: { kind: 'paused', reason: 'max_time' },
    next: [{ step: 'resume', raise: [{ setting: 'maxTime', to: 180 * minute }] }, { step: 'abort' }],
  });
});

test('a limit that was written as a condition: it must be raised first, and no plain resume is advised', () => {
  const stop = [{ type: 'max_iterations' as const, count: 1 }];
  const paused = startedStory({ config: { onLimit: 'pause', stopConditions: { stop } } }).run();
  paused.advance();
  paused.advance();
  expect(accountOf(paused)).toMatchObject({
    situation: { kind: 'paused', reason: 'max_iterations' },
    next: [{ step: 'resume', accept: 'conditions', conditions: ['stop.0'], raise: [] }, { step: 'abort' }],
  });
  expect(plainResume(paused.loop)).toBeUndefined();
  const failed = startedStory({ config: { stopConditions: { failure: stop } } }).run();
  failed.advance();
  failed.advance();
  expect(accountOf(failed).next).toMatchObject([
    { step: 'start', raise: [], conditions: ['failure.0'] },
    { step: 'status' },
  ]);
  const both = startedStory({ config: { maxIterations: 1, onLimit: 'pause', stopConditions: { stop } } }).run();
  both.advance();
  both.advance();
  expect(accountOf(both).next[0]).toMatchObject({
    step: 'resume',
    accept: 'conditions',
    raise: [{ setting: 'maxIterations', to: 2 }],
  });
});

test('a paused loop: the resume that is advised gives it the room it needs', () => {
  const limited = startedStory({ config: { maxIterations: 1, onLimit: 'pause' } }).run();
  limited.advance();
  limited.advance();
  expect(plainResume(limited.loop)?.raise).toEqual([{ setting: 'maxIterations', to: 2 }]);
  const asked = startedStory().command({ command: 'pause' });
  asked.advance();
  expect(plainResume(asked.loop)?.raise).toEqual([]);
});

test('B116: if several limits are reached, the resume that is advised raises them all', () => {
  const config = { maxIterations: 1, maxTime: '1m', maxToolCalls: 3, maxCostUsd: 0.07, onLimit: 'pause' } as const;
  const paused = startedStory({ config }).run({ usage: { toolCalls: 4, costUsd: 0.07 } });
  paused.advance(90_000);
  expect(plainResume(paused.loop)?.raise.map(({ setting }) => setting)).toEqual([
    'maxTime',
    'maxToolCalls',
    'maxCostUsd',
    'maxIterations',
  ]);
  const asked = startedStory({ config: { maxOutputTokens: 9 } }).reach('executed', { usage: { outputTokens: 9 } });
  asked.command({ command: 'pause' }).advance();
  expect(asked.loop.outcome.reason).toBe('user_pause');
  expect(plainResume(asked.loop)?.raise).toEqual([{ setting: 'maxOutputTokens', to: 18 }]);
});

test('B116: a proof that came too late for a strict budget is reported', () => {
  const config = { maxTokens: 5, budgetPolicy: 'strict' } as const;
  const story = startedStory({ config })
    .run({ claimed: true, usage: { inputTokens: 9 } })
    .gate({ verdict: 'passed' });
  story.advance();
  expect(accountOf(story)).toMatchObject({
    situation: { kind: 'failed', reason: 'max_tokens' },
    because: [
      { kind: 'message', text: '9 of 5 tokens' },
      { kind: 'proven_too_late', iteration: 1 },
    ],
    next: [{ step: 'start', raise: [{ setting: 'maxTokens', to: 18 }] }, { step: 'status' }],
  });
});

test('a loop whose process died: where it was, and that it can be resumed', () => {
  const story = startedStory().reach('executing');
  expect(explain(story.loop, { nowMs: story.nowMs, shownStatus: 'crashed' })).toMatchObject({
    situation: { kind: 'owner_lost' },
    because: [{ kind: 'stopped_at', iteration: 1, isAgentDone: false }],
    next: [
      { step: 'resume', raise: [] },
      { step: 'abort', endsAgent: true },
    ],
  });
});

test('a loop with a wrong configuration: where to look first', () => {
  const story = startedStory().run({ outcome: 'auth', error: 'Invalid API key' });
  story.advance();
  expect(accountOf(story)).toMatchObject({
    situation: { kind: 'paused', reason: 'configuration' },
    because: [{ kind: 'message', text: 'Invalid API key' }],
    next: [{ step: 'agents' }, { step: 'resume' }, { step: 'abort' }],
  });
});

test('R6: an explanation names what the agent did to the checks and the tests', () => {
  const story = startedStory().run({
    claimed: true,
    changes: { ...changed(1), protected: { changed: ['test/a.js'], created: [] } },
  });
  story.gate({ verdict: 'unverifiable', tampered: ['check.sh'] }).advance();
  const expectNamed = () => {
    expect(accountOf(story).evidence).toContainEqual({ kind: 'tampered', files: ['check.sh'] });
    expect(explain(story.loop, { nowMs: story.nowMs }).doubts).toMatchObject([
      { code: 'edited_tests', files: ['test/a.js'] },
    ]);
  };
  expectNamed();
  story.command({ command: 'pause' }).advance();
  expectNamed();
});

test('R6: a completion shows whether tests failed despite the checks, or the checks had passed from the start', () => {
  const completed = (verdict: 'passed' | 'failed', failing: number) => {
    const story = startedStory({ config: { baseline: true } });
    story.tell({ type: 'baseline.finished', data: { verdict, checks: [], elapsedMs: 0 } });
    story.run({ claimed: true }).gate({ verdict: 'passed', ...(failing === 0 ? {} : { tests: counts(failing) }) });
    story.advance();
    const end = { status: 'completed', reason: 'completed', message: 'done', elapsedMs: 0, verified: true } as const;
    return accountOf(story.tell({ type: 'loop.ended', data: end })).situation;
  };
  const sound = { kind: 'proven', failedTests: 0, hadPassedBefore: false, isDoubtful: false };
  expect(completed('failed', 0)).toEqual(sound);
  expect(completed('failed', 3)).toEqual({ ...sound, failedTests: 3 });
  expect(completed('passed', 0)).toEqual({ ...sound, hadPassedBefore: true, isDoubtful: true });
});

test('R26: a loop that a rule stopped after a better iteration: which one it was, and its commit', () => {
  const story = startedStory({ config: { maxIterations: 4, stopConditions: { maxTestFailureStreak: 0 } } });
  const commit = { id: '0123456789abcdef0123456789abcdef01234567', isWhole: true };
  for (const failed of [5, 1, 4]) {
    story.run({ claimed: true, changes: changed(2, { commit }) });
    story.gate({ verdict: 'failed', tests: counts(failed) }).advance();
  }
  const isBetter = ({ kind }: { readonly kind: string }) => kind === 'better_iteration';
  expect(accountOf(story).evidence.some(isBetter)).toBe(false);
  story.run().advance();
  story.advance();
  const { evidence, next } = accountOf(story);
  expect(evidence.find(isBetter)).toMatchObject({ best: { iteration: 2 }, checked: 3, finished: 4 });
  expect(next[0]).toEqual({ step: 'compare', commit: commit.id, iteration: 2 });
});

test('R26: uncommitted work cannot be restored, and nothing is reported if the last iteration was the best', () => {
  const ended = (...all: readonly number[]) => {
    const story = startedStory({ config: { maxIterations: all.length, stopConditions: { maxTestFailureStreak: 0 } } });
    const changes = changed(2, { commit: { id: 'a'.repeat(40), isWhole: false } });
    for (const failed of all) {
      story.run({ claimed: true, changes }).gate({ verdict: 'failed', tests: counts(failed) });
      story.advance();
    }
    story.advance();
    return accountOf(story);
  };
  const lost = ended(1, 4);
  expect(lost.evidence).toContainEqual(expect.objectContaining({ kind: 'better_iteration', checked: 2, finished: 2 }));
  expect(lost.next[0]).toMatchObject({ step: 'start' });
  expect(ended(4, 1).evidence.map(({ kind }) => kind)).not.toContain('better_iteration');
});

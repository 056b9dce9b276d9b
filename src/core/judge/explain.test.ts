import { expect, test } from 'vitest';
import { statuses, stopReasons } from '../../protocol/index.ts';
import { expectExplained } from '../testing/explained.ts';
import { changed, counts } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { explain } from './explain.ts';
import { resumeCommand } from './explain-end.ts';
import { reasonWords } from './stop-words.ts';

const minute = 60_000;
const still = { changes: changed(0) };

function told(story: Story) {
  const { headline, because, evidence, next } = explain(story.loop, { nowMs: story.nowMs });
  expectExplained(explain(story.loop, { nowMs: story.nowMs }));
  return { headline, because, evidence, next: next.map(({ command }) => command.replace(story.loop.id, 'ID')) };
}

test('whatever its status and reason, a loop is explained, with a next step', () => {
  const { loop } = startedStory();
  for (const status of [...statuses, 'idle'] as const) {
    for (const reason of [...stopReasons, undefined]) {
      for (const message of ['it says why', '', undefined]) {
        const { reason: _reason, message: _message, ...rest } = loop;
        const known = { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
        expectExplained(explain({ ...rest, ...known, status }, { nowMs: 0 }));
        expectExplained(explain({ ...rest, ...known, status }, { nowMs: 0, shownStatus: 'crashed' }));
      }
    }
  }
});

test('every stop reason has words of its own', () => {
  const words = stopReasons.map((reason) => reasonWords[reason].what);
  expect(new Set(words).size).toBe(stopReasons.length);
});

test('a loop at work: what it does now, and which rule would end it next', () => {
  const story = startedStory({ config: { stopConditions: { maxNoProgressIterations: 3 } } });
  story.run(still).advance();
  story.reach('executing');
  expect(told(story)).toEqual({
    headline: 'Iteration 2 is under way: the agent works.',
    because: ['2 more iterations without progress end it'],
    evidence: ['no progress in 1 iteration'],
    next: ['ralphd status ID', 'ralphd pause ID'],
  });
  expect(told(startedStory({ config: { maxIterations: 1, onLimit: 'pause' } })).because).toEqual([
    '1 more iteration pauses it',
  ]);
});

test('a loop that waits: how long, for what, and how to wait no longer', () => {
  const story = startedStory();
  const resetAt = new Date(story.nowMs + 134 * minute).toISOString();
  story.run({ outcome: 'usage_limited', resetAt, error: 'You have hit your limit' }).advance();
  const { headline, because, next } = told(story);
  expect(headline).toMatch(/^It waits 2h 1[45]m more for the provider's limit to be over\.$/);
  expect(because).toEqual(['You have hit your limit', '100 more iterations end it']);
  expect(next).toEqual(['ralphd retry ID', 'ralphd status ID', 'ralphd pause ID']);
  story.command({ command: 'pause' }).advance();
  expect(told(story).because).toEqual([
    expect.any(String),
    expect.stringMatching(/^the provider's limit is over in 2h/),
  ]);
});

test('a loop that gets nowhere: guidance comes first', () => {
  const story = startedStory({ config: { stopConditions: { maxNoProgressIterations: 9 } } });
  for (let iteration = 1; iteration <= 4; iteration += 1) story.run(still).advance();
  expect(told(story)).toMatchObject({
    because: ['5 more iterations without progress end it'],
    next: ['ralphd guide ID "TEXT"', 'ralphd status ID', 'ralphd pause ID'],
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
  expect(told(proven)).toEqual({
    headline: 'Completed: the task is done, and the checks prove it.',
    because: ['ralphd ran the checks itself after iteration 1, and all passed'],
    evidence: [
      'npm test: passed',
      '10 of 10 tests passed (tap), 0 failed',
      '1 iteration, 0 failed; the last progress was in iteration 1',
    ],
    next: ['ralphd status ID'],
  });
  expect(explain(proven.loop, { nowMs: 0 }).rules).toEqual([]);
  const trusted = startedStory({ checks: [], config: { trustPromise: true } }).run({ claimed: true });
  trusted.advance();
  trusted.tell({ type: 'loop.ended', data: { ...end, verified: false } });
  expect(told(trusted)).toMatchObject({
    headline: "Completed on the agent's word: nothing proves it.",
    next: ['ralphd run "TASK" --verify CMD', 'ralphd status ID'],
  });
});

test('a loop that a limit ended or paused: the option that gives it more room', () => {
  const ended = startedStory({ config: { maxIterations: 2 } });
  ended
    .run({ claimed: true })
    .gate({ verdict: 'failed', tests: counts(3) })
    .advance();
  ended.run().advance();
  ended.advance();
  expect(told(ended)).toEqual({
    headline: 'Failed: all iterations that were allowed are used up.',
    because: ['2 of 2 iterations'],
    evidence: [
      'npm test: failed after iteration 1',
      '7 of 10 tests passed (tap), 3 failed',
      '2 iterations, 0 failed; the last progress was in iteration 2',
    ],
    next: ['ralphd run "TASK" --max-iterations 4', 'ralphd status ID'],
  });
  const paused = startedStory({ config: { maxTime: '90m', onLimit: 'pause' } });
  paused.run();
  paused.advance(90 * minute);
  paused.advance();
  expect(told(paused)).toMatchObject({
    headline: 'Paused: the running time that was allowed is used up.',
    next: ['ralphd resume ID --max-time "3h"', 'ralphd abort ID'],
  });
});

test('a limit that was written as a condition: it is to be raised first, and no plain resume is advised', () => {
  const stop = [{ type: 'max_iterations' as const, count: 1 }];
  const paused = startedStory({ config: { onLimit: 'pause', stopConditions: { stop } } }).run();
  paused.advance();
  paused.advance();
  expect(told(paused)).toMatchObject({
    headline: 'Paused: all iterations that were allowed are used up.',
    next: ['ralphd resume ID --accept-conditions', 'ralphd abort ID'],
  });
  const [first] = explain(paused.loop, { nowMs: paused.nowMs }).next;
  expect(first?.does).toMatch(/^first raise stop\.0 in stopConditions/u);
  expect(resumeCommand(paused.loop)).toBeUndefined();
  const failed = startedStory({ config: { stopConditions: { failure: stop } } }).run();
  failed.advance();
  failed.advance();
  expect(told(failed).next).toEqual(['ralphd run "TASK"', 'ralphd status ID']);
  const both = startedStory({ config: { maxIterations: 1, onLimit: 'pause', stopConditions: { stop } } }).run();
  both.advance();
  both.advance();
  expect(told(both).next).toEqual(['ralphd resume ID --accept-conditions --max-iterations 2', 'ralphd abort ID']);
});

test('a loop that rests: the resume that is advised gives it the room it needs', () => {
  const limited = startedStory({ config: { maxIterations: 1, onLimit: 'pause' } }).run();
  limited.advance();
  limited.advance();
  expect(resumeCommand(limited.loop)).toBe(`ralphd resume ${limited.loop.id} --max-iterations 2`);
  const asked = startedStory().command({ command: 'pause' });
  asked.advance();
  expect(resumeCommand(asked.loop)).toBe(`ralphd resume ${asked.loop.id}`);
});

test('B116: where several limits are reached, the resume that is advised widens them all', () => {
  const config = { maxIterations: 1, maxTime: '1m', maxToolCalls: 3, maxCostUsd: 0.07, onLimit: 'pause' } as const;
  const paused = startedStory({ config }).run({ usage: { toolCalls: 4, costUsd: 0.07 } });
  paused.advance(90_000);
  const options = '--max-time "4m" --max-tool-calls 8 --max-cost 0.14 --max-iterations 2';
  expect(resumeCommand(paused.loop)).toBe(`ralphd resume ${paused.loop.id} ${options}`);
  const asked = startedStory({ config: { maxOutputTokens: 9 } }).reach('executed', { usage: { outputTokens: 9 } });
  asked.command({ command: 'pause' }).advance();
  expect(asked.loop.reason).toBe('user_pause');
  expect(resumeCommand(asked.loop)).toBe(`ralphd resume ${asked.loop.id} --max-output-tokens 18`);
});

test('B116: a proof that came too late for a strict budget is told', () => {
  const config = { maxTokens: 5, budgetPolicy: 'strict' } as const;
  const story = startedStory({ config })
    .run({ claimed: true, usage: { inputTokens: 9 } })
    .gate({ verdict: 'passed' });
  story.advance();
  expect(told(story)).toMatchObject({
    headline: 'Failed: the tokens that were allowed are used up.',
    because: ['9 of 5 tokens', 'the checks passed after iteration 1, but only beyond the budget, which is strict'],
    next: ['ralphd run "TASK" --max-tokens 18', 'ralphd status ID'],
  });
});

test('a loop whose process is gone: where it was, and that nothing is lost', () => {
  const story = startedStory().reach('executing');
  const seen = explain(story.loop, { nowMs: story.nowMs, shownStatus: 'crashed' });
  expect(seen).toMatchObject({
    headline: 'Its process is gone; nothing is lost.',
    because: ['it was in iteration 1, at work'],
    next: [{ command: `ralphd resume ${story.loop.id}` }, { command: `ralphd abort ${story.loop.id}` }],
  });
});

test('a loop with a wrong configuration: where to look first', () => {
  const story = startedStory().run({ outcome: 'auth', error: 'Invalid API key' });
  story.advance();
  expect(told(story)).toMatchObject({
    headline: 'Paused: the agent cannot work the way it is set up.',
    because: ['Invalid API key'],
    next: ['ralphd agents', 'ralphd resume ID', 'ralphd abort ID'],
  });
});

test('R6: whoever asks why is told what the agent did to the checks and the tests', () => {
  const story = startedStory().run({
    claimed: true,
    changes: { ...changed(1), protected: { changed: ['test/a.js'], created: [] } },
  });
  story.gate({ verdict: 'unverifiable', tampered: ['check.sh'] }).advance();
  const expectNamed = () => {
    expect(told(story).evidence).toContain('changed since the loop began, so that the checks prove nothing: check.sh');
    expect(explain(story.loop, { nowMs: story.nowMs }).doubts).toMatchObject([
      { code: 'edited_tests', files: ['test/a.js'] },
    ]);
  };
  expectNamed();
  story.command({ command: 'pause' }).advance();
  expectNamed();
});

test('R6: "the checks prove it" never stands above failing tests, nor where they passed all along', () => {
  const completed = (verdict: 'passed' | 'failed', failing: number) => {
    const story = startedStory({ config: { baseline: true } });
    story.tell({ type: 'baseline.finished', data: { verdict, checks: [], elapsedMs: 0 } });
    story.run({ claimed: true }).gate({ verdict: 'passed', ...(failing === 0 ? {} : { tests: counts(failing) }) });
    story.advance();
    const end = { status: 'completed', reason: 'completed', message: 'done', elapsedMs: 0, verified: true } as const;
    return told(story.tell({ type: 'loop.ended', data: end })).headline;
  };
  expect(completed('failed', 0)).toBe('Completed: the task is done, and the checks prove it.');
  expect(completed('failed', 3)).toBe('Completed: every check exits with 0, although 3 tests failed.');
  expect(completed('passed', 0)).toBe(
    'Completed: all checks pass, as they did before the first iteration, but look at this.',
  );
});

test('R26: a loop that a rule stopped after a better iteration: which one it was, and how git brings it back', () => {
  const story = startedStory({ config: { maxIterations: 4, stopConditions: { maxTestFailureStreak: 0 } } });
  const commit = { id: '0123456789abcdef0123456789abcdef01234567', isWhole: true };
  for (const failed of [5, 1, 4]) {
    story.run({ claimed: true, changes: changed(2, { commit }) });
    story.gate({ verdict: 'failed', tests: counts(failed) }).advance();
  }
  expect(told(story).evidence.join()).not.toContain('better');
  story.run().advance();
  story.advance();
  const { evidence, next } = explain(story.loop, { nowMs: story.nowMs });
  expect(evidence).toContain(
    'iteration 2 was better than iteration 3, the last that was checked: 9 of 10 tests passed (commit 01234567)',
  );
  expect(next[0]).toEqual({
    command: 'git diff 01234567',
    does: 'see what was done since iteration 2, the best; "git restore --source=01234567 ." takes the files back to it',
  });
});

test('R26: what was never committed cannot be brought back, and nothing is said where the last one was the best', () => {
  const ended = (...all: readonly number[]) => {
    const story = startedStory({ config: { maxIterations: all.length, stopConditions: { maxTestFailureStreak: 0 } } });
    const changes = changed(2, { commit: { id: 'a'.repeat(40), isWhole: false } });
    for (const failed of all) {
      story.run({ claimed: true, changes }).gate({ verdict: 'failed', tests: counts(failed) });
      story.advance();
    }
    story.advance();
    return told(story);
  };
  const lost = ended(1, 4);
  expect(lost.evidence).toContain(
    'iteration 1 was better than the last: 9 of 10 tests passed (not all of it was committed)',
  );
  expect(lost.next[0]).toMatch(/^ralphd run/u);
  expect(ended(4, 1).evidence.join()).not.toContain('better');
});

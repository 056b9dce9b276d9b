import { expect, test } from 'vitest';
import { explain } from '../../core/index.ts';
import { changed, counts } from '../../core/testing/facts.ts';
import { type Story, startedStory } from '../../core/testing/story.ts';
import { statuses, stopReasons } from '../../protocol/index.ts';
import { phraseExplanation } from './explanation.ts';
import { reasonText } from './reasons.ts';

const minute = 60_000;
const still = { changes: changed(0) };

function phrase(story: Story, shownStatus = story.loop.status): string {
  const { loop, nowMs } = story;
  const { headline, because, evidence, next } = phraseExplanation(explain(loop, { nowMs, shownStatus }), loop);
  const commands = next.map(({ command, does }) => `$ ${command}  # ${does}`);
  return [headline, ...because.map((text) => `because ${text}`), ...evidence.map((text) => `- ${text}`), ...commands]
    .join('\n')
    .replaceAll(loop.id, 'ID');
}

test('whatever its status and reason, an explanation has no gap in its texts', () => {
  const { loop } = startedStory();
  for (const status of [...statuses, 'idle'] as const) {
    for (const reason of [...stopReasons, undefined]) {
      for (const message of ['it says why', undefined]) {
        const outcome = { verified: false, ...(reason && { reason }), ...(message && { message }) };
        const known = { ...loop, status, outcome };
        const text = phraseExplanation(explain(known, { nowMs: 0 }), known);
        expect(text.headline).toMatch(/^[A-Z].*\.$/u);
        const all = [...text.because, ...text.evidence, ...text.next.flatMap(({ command, does }) => [command, does])];
        for (const each of all) expect(each).not.toMatch(/^\s*$|undefined|NaN|Infinity|\[object/u);
      }
    }
  }
});

test('a loop that no process runs while it waits is due, and is resumed', () => {
  const story = startedStory().run({ outcome: 'usage_limited', error: 'You have hit your limit' });
  const resetAt = new Date(story.nowMs + 134 * minute).toISOString();
  const wait = { until: resetAt, cause: 'limit', message: 'You have hit your limit' } as const;
  story.tell({ type: 'wait.scheduled', data: wait });
  const parked = (nowMs: number) => {
    const explanation = explain(story.loop, { nowMs, wakeAt: resetAt });
    const { headline, next } = phraseExplanation(explanation, story.loop);
    return [headline, ...next.map(({ command }) => command.replaceAll(story.loop.id, 'ID'))];
  };
  expect(parked(story.nowMs)).toEqual([
    'No process runs the loop now; it is due in 2h 14m.',
    'ralphd resume ID',
    'ralphd status ID',
    'ralphd abort ID',
  ]);
  expect(parked(Date.parse(resetAt))[0]).toBe('No process runs the loop now; it is due.');
});

test('every stop reason has a text of its own', () => {
  expect(new Set(stopReasons.map((reason) => reasonText(reason).what)).size).toBe(stopReasons.length);
});

test('a loop at work, between two iterations and waiting', () => {
  const story = startedStory({ config: { stopConditions: { maxNoProgressIterations: 3 } } });
  story.run(still).advance();
  expect(phrase(story)).toMatchInlineSnapshot(`
    "Iteration 1 has ended; the next one is about to start.
    because it ends after 2 more iterations without progress
    - no progress in 1 iteration
    $ ralphd status ID  # see the details
    $ ralphd pause ID  # pause after the current iteration"
  `);
  story.reach('executing');
  expect(phrase(story)).toMatchInlineSnapshot(`
    "Iteration 2 is running: the agent is working.
    because it ends after 2 more iterations without progress
    - no progress in 1 iteration
    $ ralphd status ID  # see the details
    $ ralphd pause ID  # pause after the current iteration"
  `);
  const resetAt = new Date(story.nowMs + 134 * minute).toISOString();
  const waiting = startedStory().run({ outcome: 'usage_limited', resetAt, error: 'You have hit your limit' });
  waiting.advance();
  expect(phrase(waiting)).toMatchInlineSnapshot(`
    "Waiting another 2h 15m for the provider's usage limit to reset.
    because You have hit your limit
    because it ends after 100 more iterations
    $ ralphd retry ID  # stop waiting and try again now
    $ ralphd status ID  # see the details
    $ ralphd pause ID  # pause after the current iteration"
  `);
});

test('a completed loop, with and without proof', () => {
  const end = { status: 'completed', reason: 'completed', message: 'done', elapsedMs: 0 } as const;
  const proven = startedStory({ config: { baseline: true } })
    .tell({ type: 'baseline.finished', data: { verdict: 'failed', checks: [], elapsedMs: 0 } })
    .run({ claimed: true })
    .gate({ verdict: 'passed', tests: counts(0) });
  proven.advance();
  expect(phrase(proven.tell({ type: 'loop.ended', data: { ...end, verified: true } }))).toMatchInlineSnapshot(`
    "Completed: the task is done, and the checks prove it.
    because ralphd ran all checks itself after iteration 1, and they passed
    - npm test: passed
    - 10 of 10 tests passed (tap), 0 failed
    - 1 iteration, 0 failed; the last progress was in iteration 1
    $ ralphd report ID  # see what was done and how well it is proven
    $ ralphd status ID  # see the details"
  `);
  const trusted = startedStory({ checks: [], config: { trustPromise: true } }).run({ claimed: true });
  trusted.advance();
  expect(phrase(trusted.tell({ type: 'loop.ended', data: { ...end, verified: false } }))).toMatchInlineSnapshot(`
    "Completed: the agent's claim was accepted without verification.
    because there were no checks, and trustPromise is set
    - 1 iteration, 0 failed; the last progress was in iteration 1
    $ ralphd run "TASK" --verify CMD  # have the next result verified
    $ ralphd report ID  # see what was done and how well it is proven
    $ ralphd status ID  # see the details"
  `);
});

test('R6: "the checks prove it" never appears above failing tests, nor where they passed all along', () => {
  const completed = (verdict: 'passed' | 'failed', failing: number) => {
    const story = startedStory({ config: { baseline: true } });
    story.tell({ type: 'baseline.finished', data: { verdict, checks: [], elapsedMs: 0 } });
    story.run({ claimed: true }).gate({ verdict: 'passed', ...(failing === 0 ? {} : { tests: counts(failing) }) });
    story.advance();
    const end = { status: 'completed', reason: 'completed', message: 'done', elapsedMs: 0, verified: true } as const;
    return phrase(story.tell({ type: 'loop.ended', data: end })).split('\n')[0];
  };
  expect(completed('failed', 0)).toBe('Completed: the task is done, and the checks prove it.');
  expect(completed('failed', 3)).toBe('Completed: every check exits with 0, although 3 tests failed.');
  expect(completed('passed', 0)).toBe(
    'Completed: all checks pass, as they did before the first iteration, with reservations.',
  );
});

test('a loop that a limit ended or paused', () => {
  const ended = startedStory({ config: { maxIterations: 2 } });
  ended
    .run({ claimed: true })
    .gate({ verdict: 'failed', tests: counts(3) })
    .advance();
  ended.run().advance();
  ended.advance();
  expect(phrase(ended)).toMatchInlineSnapshot(`
    "Failed: the maximum number of iterations is used up.
    because 2 of 2 iterations
    - npm test: failed after iteration 1
    - 7 of 10 tests passed (tap), 3 failed
    - 2 iterations, 0 failed; the last progress was in iteration 2
    $ ralphd resume ID --max-iterations 4  # allow more iterations, and continue in a new loop; the work so far is in the work tree
    $ ralphd status ID  # see the details"
  `);
  const config = { maxIterations: 1, maxTime: '1m', maxToolCalls: 3, maxCostUsd: 0.07, onLimit: 'pause' } as const;
  const paused = startedStory({ config }).run({ usage: { toolCalls: 4, costUsd: 0.07 } });
  paused.advance(90_000);
  paused.advance();
  expect(phrase(paused)).toMatchInlineSnapshot(`
    "Paused: the maximum running time is used up.
    because 1m 30s of 1m running time
    - 1 iteration, 0 failed; the last progress was in iteration 1
    $ ralphd resume ID --max-time "4m" --max-tool-calls 8 --max-cost 0.14 --max-iterations 2  # raise every limit that is used up
    $ ralphd abort ID  # end the loop permanently"
  `);
});

test('a limit written as a condition, which has to be raised in the configuration', () => {
  const stop = [{ type: 'max_iterations' as const, count: 1 }];
  const paused = startedStory({ config: { onLimit: 'pause', stopConditions: { stop } } }).run();
  paused.advance();
  paused.advance();
  expect(phrase(paused)).toMatchInlineSnapshot(`
    "Paused: the maximum number of iterations is used up.
    because 1 iteration is over (1 of 1 iterations)
    - 1 iteration, 0 failed; the last progress was in iteration 1
    $ ralphd resume ID --accept-conditions  # first raise stop.0 in "stopConditions" of your configuration; this command applies them
    $ ralphd abort ID  # end the loop permanently"
  `);
});

test('a loop whose process died, and one with a wrong configuration', () => {
  expect(phrase(startedStory().reach('executing'), 'crashed')).toMatchInlineSnapshot(`
    "Its process died; nothing was lost.
    because it was in iteration 1, while the agent was working
    - no iteration was finished
    $ ralphd resume ID  # continue where it stopped, with the agent if it is still running
    $ ralphd abort ID  # end the loop and its agent permanently"
  `);
  const story = startedStory().run({ outcome: 'auth', error: 'Invalid API key' });
  story.advance();
  expect(phrase(story)).toMatchInlineSnapshot(`
    "Paused: the agent cannot work as configured.
    because Invalid API key
    - no iteration was finished
    $ ralphd agents  # see which agents are installed and what is wrong with them
    $ ralphd resume ID  # fix its settings or its login
    $ ralphd abort ID  # end the loop permanently"
  `);
});

test('a loop whose checks cannot run before the first iteration', () => {
  const check = {
    command: 'npm run check',
    verdict: 'not_found',
    durationMs: 1,
    output: 'sh: npm: not found',
  } as const;
  const story = startedStory({ config: { baseline: true } });
  story.tell({ type: 'baseline.finished', data: { verdict: 'not_found', checks: [check], elapsedMs: 0 } }).advance();
  expect(phrase(story)).toMatchInlineSnapshot(`
    "Paused: the checks cannot prove anything in their current state.
    because The check "npm run check" was not found: sh: npm: not found. Fix it and resume; if the task is to write or repair this check, set "allowBrokenBaseline".
    - npm run check: not found before the first iteration
    - no iteration was finished
    $ ralphd resume ID  # run the checks again once they are fixed
    $ ralphd resume ID --allow-broken-baseline  # start anyway, if the task is to write or repair the checks
    $ ralphd abort ID  # end the loop permanently"
  `);
});

test('R26: a loop that a rule stopped after a better iteration, and how git brings it back', () => {
  const story = startedStory({ config: { maxIterations: 4, stopConditions: { maxTestFailureStreak: 0 } } });
  const commit = { id: '0123456789abcdef0123456789abcdef01234567', isWhole: true };
  for (const failed of [5, 1, 4]) {
    story.run({ claimed: true, changes: changed(2, { commit }) });
    story.gate({ verdict: 'failed', tests: counts(failed) }).advance();
  }
  story.run().advance();
  story.advance();
  expect(phrase(story)).toMatchInlineSnapshot(`
    "Failed: the maximum number of iterations is used up.
    because 4 of 4 iterations
    - npm test: failed after iteration 3
    - 6 of 10 tests passed (tap), 4 failed
    - newly broken: test 1
    - newly broken: test 2; and 1 more
    - failed 3 times in a row: test 0
    - iteration 2 was better than iteration 3, the last one that was checked: 9 of 10 tests passed (commit 01234567)
    - 4 iterations, 0 failed; the last progress was in iteration 4
    $ git diff 01234567  # see what changed since iteration 2, the best one; "git restore --source=01234567 ." restores its files
    $ ralphd resume ID --max-iterations 8  # allow more iterations, and continue in a new loop; the work so far is in the work tree
    $ ralphd status ID  # see the details"
  `);
});

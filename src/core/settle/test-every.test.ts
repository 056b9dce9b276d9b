import { expect, test } from 'vitest';
import { renderPrompt } from '../prompt/render.ts';
import { changed } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';

const config = { testEvery: 2 } as const;
const counts = { framework: 'tap', total: 3, skipped: 0 } as const;
const verify = { type: 'verify', iteration: 2, attempt: 1, isPeriodic: true };

/** A loop whose second iteration has run without a claim. */
function afterTwo(more: object = {}) {
  const story = startedStory({ config: { ...config, ...more } }).run();
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
  return story.run();
}

test('A080: with testEvery the checks run after every Nth iteration without a claim, and complete nothing', () => {
  const story = afterTwo();
  expect(story.advance()).toEqual(verify);
  story.gate({ verdict: 'passed', isPeriodic: true, tests: { ...counts, passed: 3, failed: 0, failing: [] } });
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 3 });
  expect(story.loop).toMatchObject({
    status: 'running',
    tests: { latest: { total: 3, failed: 0 } },
    verification: { latest: { iteration: 2 }, completionChecks: [{ iteration: 2, passed: true }] },
  });
  story.begin();
  const { current } = story.loop.position;
  if (current === undefined) throw new Error('nothing has begun');
  expect(renderPrompt(story.loop, 'x', current)).toContain('Every check passed, although you did not say');
});

test('A080: such a run feeds failing tests to the next prompt, the memory of tests and the streaks', () => {
  const story = afterTwo();
  story.advance();
  const failures = [{ name: 'adds', error: 'expected 3' }];
  story.gate({
    verdict: 'failed',
    isPeriodic: true,
    output: 'not ok',
    tests: { ...counts, passed: 2, failed: 1, failing: ['adds'], failures },
  });
  story.advance();
  expect(story.loop.tests.memory).toMatchObject([{ name: 'adds', results: 'f' }]);
  expect(story.loop.totals.stats).toMatchObject({ testsRun: 3, testsFailed: 1 });
});

test('A080: an owner that dies during such a run of the checks does not take it for a claim', () => {
  const story = afterTwo();
  story.advance();
  story.tell({ type: 'gate.started', data: { iteration: 2, attempt: 1, isPeriodic: true } });
  story.takeOver();
  expect(story.next()).toEqual(verify);
  story.loop = { ...story.loop, config: { ...story.loop.config, testEvery: 0 } };
  expect(story.next()).toEqual(verify);
});

test('A080: a claim, no promise, a free retry and 0 are as without testEvery', () => {
  const claimed = startedStory({ config }).run().run({ claimed: true });
  expect(claimed.advance()).toEqual({ type: 'verify', iteration: 2, attempt: 1 });
  const unpromised = startedStory({ config: { ...config, completionPromise: null } }).run();
  expect(unpromised.advance()).toEqual({ type: 'verify', iteration: 1, attempt: 1 });
  const unknown = startedStory({ config })
    .run()
    .run({ outcome: 'unknown', ending: { kind: 'lost' } });
  expect(unknown.advance()).toMatchObject({ type: 'wait', cause: 'unknown' });
  expect(afterTwo({ testEvery: 0 }).advance()).toMatchObject({ type: 'begin', iteration: 3 });
});

test('A080: checks that keep passing are progress once, however often they run', () => {
  const story = startedStory({ config: { testEvery: 1 } });
  const still = { changes: changed(0) };
  for (const verdict of ['failed', 'passed', 'passed'] as const) {
    story.run(still).advance();
    story.gate({ verdict, isPeriodic: true }).advance();
  }
  const made = story.facts.flatMap((fact) => (fact.type === 'iteration.finished' ? [fact.data.progress.made] : []));
  expect(made).toEqual([false, true, false]);
});

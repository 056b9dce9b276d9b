import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Quality } from '../../protocol/index.ts';
import { changed, counts, fileGuard, type Gate, type Run } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { bestResult } from './best-iteration.ts';
import { betterOf, compareQuality } from './quality.ts';

const still: Run = { changes: changed(0) };
const claim: Run = { claimed: true };

/** A loop whose baseline had this many failing tests of ten. */
function withBaseline(failed: number): Story {
  const story = startedStory({ config: { baseline: true, stopConditions: { maxTestFailureStreak: 0 } } });
  const verdict = failed === 0 ? 'passed' : 'failed';
  const checks = [{ command: 'npm test', verdict, durationMs: 1, output: '' } as const];
  return story.tell({ type: 'baseline.finished', data: { verdict, checks, tests: counts(failed), elapsedMs: 0 } });
}

function refused(story: Story, failed: number, run: Run = claim): Story {
  story.run({ claimed: true, ...run }).gate({ verdict: 'failed', tests: counts(failed) });
  story.advance();
  return story;
}

function gated(story: Story, gate: Gate, run: Run = claim): Story {
  story.run({ claimed: true, ...run }).gate(gate);
  story.advance();
  return story;
}

function unchecked(story: Story, run: Run = {}): Story {
  story.run(run).advance();
  return story;
}

test('R26: the iteration with the most passing checks and tests is the best, however the loop continues', () => {
  const story = startedStory({ config: { stopConditions: { maxTestFailureStreak: 0 } } });
  for (const failed of [5, 1, 3]) refused(story, failed);
  expect(story.loop.progress.best).toMatchObject({
    iteration: 2,
    quality: { proof: 'partly', tests: { passed: 9, failed: 1 } },
  });
  expect(story.loop.progress.lastChecked).toMatchObject({ iteration: 3, quality: { tests: { passed: 7 } } });
});

test('R26: a later iteration that repeats a result, or changes nothing, does not replace the one that achieved it', () => {
  const story = startedStory({ config: { stopConditions: { maxTestFailureStreak: 0 } } });
  for (const run of [claim, claim, still, { changes: changed(4) }]) refused(story, 2, run);
  expect(story.loop.progress.best?.iteration).toBe(1);
});

test('R26: among equals that both changed something the smaller change is better', () => {
  const story = startedStory({ config: { stopConditions: { maxTestFailureStreak: 0 } } });
  for (const files of [9, 2, 5]) refused(story, 2, { changes: changed(files) });
  expect(story.loop.progress.best?.iteration).toBe(2);
});

test('R26: proven beats unknown, and unknown beats a result that is worse than the start', () => {
  const better = unchecked(withBaseline(4));
  expect(refused(better, 3).loop.progress.best?.iteration).toBe(2);
  const worse = unchecked(withBaseline(4));
  expect(refused(worse, 6).loop.progress.best).toMatchObject({ iteration: 1, quality: { proof: 'unknown' } });
  expect(worse.loop.progress.lastChecked?.quality.proof).toBe('refused');
});

test('R26: a result equal to a red baseline is not worse; if it is below the start, the start is the best result', () => {
  expect(refused(withBaseline(4), 4).loop.progress.best?.quality.proof).toBe('partly');
  expect(bestResult(refused(withBaseline(4), 7).loop)).toMatchObject({
    kind: 'start',
    quality: { tests: { passed: 6, failed: 4 } },
  });
  expect(bestResult(refused(withBaseline(10), 10).loop)).toBeUndefined();
});

test('R26: a gate that was tampered with or could not be verified proves nothing, whatever its result', () => {
  const story = startedStory({ guards: [fileGuard('check.sh', 'a')] });
  gated(story, { verdict: 'passed', tests: counts(0), tampered: ['check.sh'] });
  expect(story.loop.progress.best?.quality).toMatchObject({ proof: 'tampered' });
  gated(story, { verdict: 'unverifiable' });
  expect(story.loop.progress.best).toMatchObject({ iteration: 2, quality: { proof: 'unknown' } });
  expect(bestResult(story.loop)).toBeUndefined();
});

test('R26: a run of no tests counts none, and removed tests improve nothing', () => {
  const story = startedStory({ config: { stopConditions: { maxTestFailureStreak: 0 } } });
  refused(story, 2);
  gated(story, { verdict: 'failed', tests: { ...counts(1), total: 5, passed: 4 } });
  expect(story.loop.progress.best?.iteration).toBe(1);
  gated(story, { verdict: 'failed', tests: counts(0, 0) });
  expect(story.loop.progress.lastChecked?.quality).not.toHaveProperty('tests');
});

test('R26: a flaky test that fails is no reason to call an iteration worse', () => {
  const story = startedStory({ config: { maxIterations: 50, stopConditions: { maxTestFailureStreak: 0 } } });
  for (const failed of [1, 0, 1, 0, 1, 0, 1]) gated(story, { verdict: 'failed', tests: counts(failed) });
  expect(story.loop.progress.lastChecked?.quality.tests).toEqual({ passed: 9, failed: 1, flaky: 1 });
  expect(
    compareQuality(story.loop.progress.lastChecked?.quality as Quality, story.loop.progress.best?.quality as Quality),
  ).toBe(0);
});

test('R26: a run that was cut off ranks below one that worked; an abandoned one is not compared', () => {
  const story = unchecked(startedStory(), { changes: changed(5) });
  unchecked(story, { ending: { kind: 'stopped', by: 'timeout', forced: false }, outcome: 'unknown' });
  expect(story.loop.progress.best?.iteration).toBe(1);
  story.begin().command({ command: 'skip' }).advance();
  expect(story.facts.at(-1)?.data).not.toHaveProperty('quality');
});

test('R26: committed work ranks above the same work without a commit', () => {
  const story = startedStory();
  const commit = { id: 'a'.repeat(40), isWhole: true };
  refused(story, 2, { changes: changed(3, { commit: { id: 'b'.repeat(40), isWhole: false } }) });
  expect(bestResult(story.loop)).toMatchObject({ iteration: 1, quality: { commit: { isWhole: false } } });
  refused(story, 2, { changes: changed(0, { headMoved: true, commit }) });
  expect(bestResult(story.loop)).toMatchObject({ iteration: 2, quality: { tests: { passed: 8 }, commit } });
});

const count = fc.nat(3);
const qualities: fc.Arbitrary<Quality> = fc.record(
  {
    proof: fc.constantFrom('passed', 'partly', 'unknown', 'refused', 'tampered'),
    checks: fc.record({ passed: count, total: count }),
    tests: fc.record({ passed: count, failed: count, flaky: count }),
    worked: fc.boolean(),
    files: fc.option(count),
    headMoved: fc.boolean(),
  },
  { requiredKeys: ['proof', 'worked', 'files', 'headMoved'] },
);

test('R26: whatever the iterations, the order is total and no other is better than the best', () => {
  fc.assert(
    fc.property(fc.array(qualities, { minLength: 1, maxLength: 12 }), (all) => {
      const judged = all.map((quality, index) => ({ iteration: index + 1, quality }));
      const best = judged.reduce((before, next) => betterOf(before, next));
      for (const { iteration, quality } of judged) {
        const order = compareQuality(best.quality, quality);
        expect(order).toBe(-compareQuality(quality, best.quality) || 0);
        expect(order).toBeLessThanOrEqual(0);
        if (order === 0) expect(best.iteration).toBeLessThanOrEqual(iteration);
      }
    }),
  );
});

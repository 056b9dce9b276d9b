import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Changes, TestCounts, Verdict } from '../../protocol/index.ts';
import { changed, counts } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { judgeProgress } from './progress.ts';

interface Iteration {
  readonly changes: Changes;
  readonly verdict?: Verdict;
  readonly tests?: TestCounts;
  readonly markers?: number;
}

/** The progress of one iteration after a baseline in which three of ten tests failed. */
function progressOf({ changes, verdict, tests, markers }: Iteration) {
  const story = startedStory({ config: { baseline: true } });
  story.tell({ type: 'baseline.finished', data: { verdict: 'failed', checks: [], tests: counts(3), elapsedMs: 0 } });
  story.run({ changes, claimed: verdict !== undefined, ...(markers === undefined ? {} : { markers }) });
  if (verdict !== undefined) story.gate({ verdict, ...(tests === undefined ? {} : { tests }) });
  return progressNow(story);
}

function progressNow({ loop }: Story) {
  if (loop.position.current === undefined) throw new Error('no attempt is under way');
  return judgeProgress(loop, loop.position.current);
}

const noProgress = ['no file changed, HEAD did not move, no check improved'];
const still = changed(0);
const unknown = changed(0, { known: false });

test.each<[string, Iteration, boolean | null, readonly string[]]>([
  ['a file changed', { changes: changed(1) }, true, ['1 file changed']],
  ['files beyond the listed ones changed', { changes: { ...still, count: 9_000 } }, true, ['9000 files changed']],
  ['only HEAD moved', { changes: changed(0, { headMoved: true }) }, true, ['HEAD moved']],
  ['nothing changed', { changes: still }, false, noProgress],
  ['the tree could not be compared', { changes: unknown }, null, ['the work tree could not be compared']],
  [
    'a tree that could not be compared claims to have changed',
    { changes: changed(3, { known: false, headMoved: true }) },
    null,
    ['the work tree could not be compared'],
  ],
  [
    'fewer tests fail in the same tree',
    { changes: still, verdict: 'failed', tests: counts(1) },
    true,
    ['2 fewer tests fail'],
  ],
  [
    'the tree is unknown but one test fewer fails',
    { changes: unknown, verdict: 'failed', tests: counts(2) },
    true,
    ['1 fewer test fails'],
  ],
  ['as many tests fail', { changes: still, verdict: 'failed', tests: counts(3) }, false, noProgress],
  ['no test ran any more', { changes: still, verdict: 'failed', tests: counts(0, 0) }, false, noProgress],
  ['the gate passes now', { changes: still, verdict: 'passed', tests: counts(3) }, true, ['the checks pass now']],
])('A088 A101 R16: progress when %s', (_case, iteration, made, evidence) => {
  expect(progressOf(iteration)).toMatchObject({ made, evidence });
});

test('A088 A101 R16: tests that were green and still are, in an unchanged tree, are not progress', () => {
  const story = startedStory()
    .run({ claimed: true })
    .gate({ verdict: 'passed', tests: counts(0) });
  // The loop would complete here. It goes on by a fact, because only then can green be followed by green.
  const progress = { made: true, evidence: [] };
  const over = { ...story.attempt, status: 'completed', progress, durationMs: 0, elapsedMs: 0 } as const;
  story.tell({ type: 'iteration.finished', data: over });
  story.run({ claimed: true, changes: still }).gate({ verdict: 'passed', tests: counts(0) });
  expect(progressNow(story)).toEqual({ made: false, evidence: noProgress, score: 0 });
});

test('A101: a gate that was refused and passes now is progress, whatever the result of the baseline', () => {
  const story = startedStory().run({ claimed: true, changes: still }).gate({ verdict: 'failed' });
  story.advance();
  story.run({ claimed: true, changes: still }).gate({ verdict: 'passed' });
  expect(progressNow(story)).toEqual({ made: true, evidence: ['the checks pass now'], score: 0.5 });
});

const created = changed(0, { created: ['new.ts'], count: 1 });
const both = changed(1, { created: ['new.ts'], count: 2 });

test.each<[string, Iteration, number | undefined]>([
  ['nothing changed', { changes: still }, 0],
  ['nothing changed, whatever the agent reports', { changes: still, markers: 9 }, 0],
  ['the tree could not be compared', { changes: unknown, markers: 9 }, undefined],
  ['a file was modified', { changes: changed(1) }, 0.3],
  ['a file was deleted', { changes: changed(0, { deleted: ['old.ts'], count: 1 }) }, 0.3],
  ['only HEAD moved', { changes: changed(0, { headMoved: true }) }, 0.3],
  ['a file was created', { changes: created }, 0.2],
  ['one was modified and one created', { changes: both }, 0.5],
  ['the agent reports progress as well', { changes: both, markers: 1 }, 0.8],
  ['two tests were fixed', { changes: still, verdict: 'failed', tests: counts(1) }, 0.4],
  ['tests were added', { changes: changed(1), verdict: 'failed', tests: counts(3, 12) }, 0.5],
  ['the gate passes now', { changes: still, verdict: 'passed', tests: counts(3) }, 0.5],
  ['everything at once', { changes: both, verdict: 'passed', tests: counts(0, 12), markers: 3 }, 1],
])('B049, B050, A111: the score when %s', (_case, iteration, score) => {
  expect(progressOf(iteration).score).toBe(score);
});

test('B050: the score is 0 to 1, above 0 only with progress, and a report by the agent alone is never progress', () => {
  const iterations = fc.record({
    changes: fc.constantFrom(still, unknown, created, both, changed(3, { headMoved: true })),
    verdict: fc.constantFrom<Verdict>('passed', 'failed', 'timed_out', 'not_found'),
    tests: fc
      .record({ failed: fc.nat(6), total: fc.nat(12) })
      .map(({ failed, total }) => counts(failed, failed + total)),
    markers: fc.nat(5),
  });
  fc.assert(
    fc.property(iterations, (iteration) => {
      const { made, score } = progressOf(iteration);
      expect(score === undefined).toBe(made === null);
      expect(score ?? 0).toBeGreaterThanOrEqual(made ? 0.1 : 0);
      expect(score ?? 0).toBeLessThanOrEqual(made ? 1 : 0);
      expect(made).toBe(progressOf({ ...iteration, markers: 0 }).made);
    }),
  );
});

test('R16: one improved check is progress, although the gate as a whole still fails', () => {
  const tried = (build: Verdict, tests: Verdict) => [
    { command: 'build', verdict: build, durationMs: 1, output: '' },
    { command: 'test', verdict: tests, durationMs: 1, output: '' },
  ];
  const story = startedStory({ checks: ['build', 'test'] });
  const gate = (build: Verdict, tests: Verdict) => {
    story.run({ claimed: true, changes: still });
    story.tell({ type: 'gate.started', data: story.attempt });
    const checks = tried(build, tests);
    story.tell({ type: 'gate.finished', data: { ...story.attempt, verdict: 'failed', checks, durationMs: 2 } });
    const progress = progressNow(story);
    story.advance();
    return progress;
  };
  expect(gate('failed', 'failed')).toEqual({ made: false, evidence: noProgress, score: 0 });
  expect(gate('passed', 'failed')).toEqual({ made: true, evidence: ['the check "build" passes now'], score: 0.5 });
  expect(gate('passed', 'failed')).toEqual({ made: false, evidence: noProgress, score: 0 });
  expect(gate('failed', 'failed').made).toBe(false);
  // By now it changed its mind too often to be believed.
  expect(gate('passed', 'failed').made).toBe(false);
});

test('A111, A125: the newest twenty scores are kept; an older journal, which has none, counts as all or nothing', () => {
  const story = startedStory({
    config: { maxIterations: 0, maxTokens: 1, stopConditions: { maxNoProgressIterations: 0 } },
  });
  for (let iteration = 1; iteration <= 22; iteration += 1) story.run({ changes: changed(iteration % 2) }).advance();
  expect(story.loop.progress.recentScores).toEqual(
    Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 0.3 : 0)),
  );
  const progress = { made: true, evidence: [] };
  story.begin();
  const over = { ...story.attempt, status: 'completed', progress, durationMs: 0, elapsedMs: 0 } as const;
  expect(story.tell({ type: 'iteration.finished', data: over }).loop.progress.recentScores.at(-1)).toBe(1);
});

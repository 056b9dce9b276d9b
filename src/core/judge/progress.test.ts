import { expect, test } from 'vitest';
import type { Changes, TestCounts, Verdict } from '../../protocol/index.ts';
import { changed, counts } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { judgeProgress } from './progress.ts';

interface Iteration {
  readonly changes: Changes;
  readonly verdict?: Verdict;
  readonly tests?: TestCounts;
}

/** The progress of one iteration after a baseline in which three of ten tests failed. */
function progressOf({ changes, verdict, tests }: Iteration) {
  const story = startedStory({ config: { baseline: true } });
  story.tell({ type: 'baseline.finished', data: { verdict: 'failed', checks: [], tests: counts(3), elapsedMs: 0 } });
  story.run({ changes, claimed: verdict !== undefined });
  if (verdict !== undefined) story.gate({ verdict, ...(tests === undefined ? {} : { tests }) });
  return progressNow(story);
}

function progressNow({ loop }: Story) {
  if (loop.current === undefined) throw new Error('no attempt is under way');
  return judgeProgress(loop, loop.current);
}

const noProgress = ['no file changed, HEAD did not move, no check got better'];
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
  ['the gate passes now', { changes: still, verdict: 'passed' }, true, ['the checks pass now']],
])('A088 A101 R16: progress when %s', (_case, iteration, made, evidence) => {
  expect(progressOf(iteration)).toEqual({ made, evidence });
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
  expect(progressNow(story)).toEqual({ made: false, evidence: noProgress });
});

test('A101: a gate that was refused and passes now is progress, whatever the baseline said', () => {
  const story = startedStory().run({ claimed: true, changes: still }).gate({ verdict: 'failed' });
  story.advance();
  story.run({ claimed: true, changes: still }).gate({ verdict: 'passed' });
  expect(progressNow(story)).toEqual({ made: true, evidence: ['the checks pass now'] });
});

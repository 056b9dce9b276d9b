import type { Quality, ViewedReturns } from '../../protocol/index.ts';
import type { JudgedIteration } from '../state/attempt.ts';
import type { ScoredIteration } from '../state/progress.ts';

/** What the latest gains in quality suggest; no rule acts on it. */
export type Returns = ViewedReturns;

const low = { points: 5, percent: 5, inARow: 2 };
const flat = { percent: 2, inARow: 3 };

/** How many scores stay in the state. */
const maxScores = 20;

/** Adds the score of an iteration; one that proves nothing has none. */
export function addScore(
  scores: readonly ScoredIteration[],
  { iteration, quality }: JudgedIteration,
): readonly ScoredIteration[] {
  const score = qualityScore(quality);
  return score === undefined ? scores : [...scores, { iteration, score }].slice(-maxScores);
}

/** Whether more iterations still improve the result; undefined before a second one was checked. */
export function returnsOf(scores: readonly ScoredIteration[]): Returns | undefined {
  const latest = scores.at(-1);
  if (latest === undefined || scores.length < 2) return undefined;
  const isFlat = (delta: number, before: number) => Math.abs(delta) * 100 < flat.percent * before || delta === 0;
  const isLow = (delta: number, before: number) =>
    Math.abs(delta) < low.points || Math.abs(delta) * 100 < low.percent * before;
  const { score } = latest;
  const flatGains = countLatest(scores, isFlat);
  const lowGains = countLatest(scores, isLow);
  if (flatGains >= flat.inARow) return { trend: 'plateau', ...sinceOf(scores, flatGains), score };
  if (lowGains >= low.inARow) return { trend: 'diminishing', ...sinceOf(scores, lowGains), score };
  return { trend: 'gaining', score };
}

/** How good the work was, from 0 to 100: the share of checks and tests that passed. Unknown is not 0. */
export function qualityScore({ proof, checks, tests }: Quality): number | undefined {
  if (proof === 'unknown') return undefined;
  if (proof === 'passed') return 100;
  if (proof === 'tampered') return 0;
  const run = tests === undefined ? 0 : tests.passed + tests.failed;
  const shares = [
    ...(checks === undefined || checks.total === 0 ? [] : [checks.passed / checks.total]),
    ...(tests === undefined || run === 0 ? [] : [tests.passed / run]),
  ];
  if (shares.length === 0) return undefined;
  // Only checks that passed, all of them, are worth 100.
  return Math.min(99, Math.round((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length));
}

/** How many of the latest gains in a row are such. */
function countLatest(scores: readonly ScoredIteration[], isSuch: (delta: number, before: number) => boolean): number {
  let count = 0;
  for (let index = scores.length - 1; index > 0; index -= 1) {
    const [before, after] = [scores[index - 1]?.score ?? 0, scores[index]?.score ?? 0];
    if (!isSuch(after - before, before)) break;
    count += 1;
  }
  return count;
}

function sinceOf(scores: readonly ScoredIteration[], gains: number): Pick<Returns, 'since'> {
  const last = scores.at(-1 - gains);
  return last === undefined ? {} : { since: last.iteration };
}

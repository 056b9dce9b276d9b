import type { BestResult, JudgedIteration } from '../../core/index.ts';
import type { Quality } from '../../protocol/index.ts';

/** The best result of a loop, in one line; undefined if the checks prove nothing. */
export function bestText(best: BestResult | undefined): string | undefined {
  if (best === undefined) return undefined;
  return best.kind === 'iteration'
    ? `${best.iteration} — ${judgedText(best)}`
    : `none — ${measureText(best.quality)} before the first iteration, and no checked iteration matched that`;
}

/** The checks, tests and commit of an iteration. */
export function judgedText({ quality }: Pick<JudgedIteration, 'quality'>): string {
  const { commit } = quality;
  if (commit === undefined) return measureText(quality);
  return `${measureText(quality)} (${commit.isWhole ? `commit ${shortId(commit.id)}` : 'not fully committed'})`;
}

/** An abbreviated commit id. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

function measureText({ checks, tests }: Pick<Quality, 'checks' | 'tests'>): string {
  const flaky = tests === undefined || tests.flaky === 0 ? '' : `, ${tests.flaky} of the others flaky`;
  const counted = tests === undefined ? [] : [`${tests.passed} of ${tests.passed + tests.failed} tests`];
  // A single check that runs the tests adds nothing to their counts.
  const isRedundant = checks === undefined || (checks.total === 1 && counted.length > 0);
  const checked = isRedundant ? [] : [`${checks.passed} of ${checks.total} ${checks.total === 1 ? 'check' : 'checks'}`];
  return `${[...checked, ...counted].join(' and ')} passed${flaky}`;
}

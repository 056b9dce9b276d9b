import type { Quality } from '../../protocol/index.ts';
import type { JudgedIteration } from '../loop/attempt.ts';
import type { ShownLoop } from '../loop/loop.ts';
import { baselineMeasure, compareProof } from './quality.ts';

/** The iteration that the checks say most for, in one line; nothing where they say nothing for any. */
export function bestText(loop: ShownLoop): string | undefined {
  const { best } = loop;
  if (best === undefined) return undefined;
  if (isProven(best)) return `${best.iteration} — ${judgedText(best)}`;
  const start = best.quality.proof === 'refused' ? startText(loop) : undefined;
  return start && `none — before the first one ${start}, and no checked one did as well`;
}

/** What is known of an iteration: its checks, its tests, and where to find it. */
export function judgedText({ quality }: JudgedIteration): string {
  const where = placeText(quality);
  return `${measureText(quality)}${where === undefined ? '' : ` (${where})`}`;
}

/** The best iteration, if it is proven to be more than the newest that was checked. */
export function betterThanLast({ best, lastChecked }: ShownLoop): JudgedIteration | undefined {
  if (best === undefined || lastChecked === undefined || !isProven(best)) return undefined;
  return compareProof(best.quality, lastChecked.quality) < 0 ? best : undefined;
}

/** A commit by as much of its id as people write. */
export function shortId(id: string): string {
  return id.slice(0, 10);
}

function isProven({ quality }: JudgedIteration): boolean {
  return quality.proof === 'passed' || quality.proof === 'partly';
}

function startText(loop: ShownLoop): string | undefined {
  const start = baselineMeasure(loop);
  const passed = (start?.checks?.passed ?? 0) + (start?.tests?.passed ?? 0);
  return start === undefined || passed === 0 ? undefined : measureText(start);
}

function measureText({ checks, tests }: Pick<Quality, 'checks' | 'tests'>): string {
  const counted = tests === undefined ? [] : [testsText(tests)];
  // One check that runs the tests says no more than they do.
  if (checks === undefined || (checks.total === 1 && counted.length > 0)) return counted.join('');
  const all =
    checks.passed === checks.total ? 'all checks passed' : `${checks.passed} of ${checks.total} checks passed`;
  return [all, ...counted].join(', ');
}

function testsText({ passed, failed, flaky }: NonNullable<Quality['tests']>): string {
  return `${passed} of ${passed + failed} tests passed${flaky === 0 ? '' : `, ${flaky} of the others flaky`}`;
}

function placeText({ commit }: Quality): string | undefined {
  if (commit === undefined) return undefined;
  return commit.isWhole ? `commit ${shortId(commit.id)}` : 'not all of it was committed';
}

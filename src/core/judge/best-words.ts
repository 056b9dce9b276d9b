import type { Quality } from '../../protocol/index.ts';
import type { JudgedIteration } from '../loop/attempt.ts';
import type { ShownLoop } from '../loop/loop.ts';
import { baselineMeasure, compareProof } from './quality.ts';

/** The iteration that the checks say most for, in one line; nothing where they say nothing for any. */
export function bestText(loop: ShownLoop): string | undefined {
  const why = bestReason(loop);
  if (loop.best === undefined || why === undefined) return undefined;
  return `${isProven(loop.best) ? loop.best.iteration : 'none'} — ${why}`;
}

/** What the checks say for the best iteration, or that there was more before the first. */
export function bestReason(loop: ShownLoop): string | undefined {
  const { best } = loop;
  if (best === undefined) return undefined;
  if (isProven(best)) return judgedText(best);
  const start = best.quality.proof === 'refused' ? startText(loop) : undefined;
  return start && `before the first one ${start}, and no checked one did as well`;
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
  return id.slice(0, 8);
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
  const flaky = tests === undefined || tests.flaky === 0 ? '' : `, ${tests.flaky} of the others flaky`;
  const counted = tests === undefined ? [] : [`${tests.passed} of ${tests.passed + tests.failed} tests`];
  // One check that runs the tests says no more than they do.
  const isSaid = checks === undefined || (checks.total === 1 && counted.length > 0);
  const checked = isSaid ? [] : [`${checks.passed} of ${checks.total} ${checks.total === 1 ? 'check' : 'checks'}`];
  return `${[...checked, ...counted].join(' and ')} passed${flaky}`;
}

function placeText({ commit }: Quality): string | undefined {
  if (commit === undefined) return undefined;
  return commit.isWhole ? `commit ${shortId(commit.id)}` : 'not all of it was committed';
}

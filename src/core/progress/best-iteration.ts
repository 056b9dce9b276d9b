import type { Quality } from '../../protocol/index.ts';
import type { JudgedIteration } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';
import { baselineMeasure, compareProof } from './quality.ts';

/** The best result of a loop: an iteration, or the state before the first if no checked iteration is as good. */
export type BestResult =
  | { readonly kind: 'iteration'; readonly iteration: number; readonly quality: Quality }
  | { readonly kind: 'start'; readonly quality: Pick<Quality, 'checks' | 'tests'> };

/** The result with the strongest proof from the checks; undefined if they prove nothing. */
export function bestResult(loop: Loop): BestResult | undefined {
  const { best } = loop.progress;
  if (best === undefined) return undefined;
  if (isProven(best)) return { kind: 'iteration', ...best };
  const start = best.quality.proof === 'refused' ? baselineMeasure(loop) : undefined;
  const passed = (start?.checks?.passed ?? 0) + (start?.tests?.passed ?? 0);
  return start === undefined || passed === 0 ? undefined : { kind: 'start', quality: start };
}

/** The best iteration, if the checks prove more for it than for the newest checked one. */
export function betterThanLast({ progress: { best, lastChecked } }: Loop): JudgedIteration | undefined {
  if (best === undefined || lastChecked === undefined || !isProven(best)) return undefined;
  return compareProof(best.quality, lastChecked.quality) < 0 ? best : undefined;
}

function isProven({ quality }: JudgedIteration): boolean {
  return quality.proof === 'passed' || quality.proof === 'partly';
}

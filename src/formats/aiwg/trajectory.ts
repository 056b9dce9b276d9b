import { returnsOf } from '../../core/index.ts';

/** How the quality of the iterations develops. */
export type Trajectory = 'improving' | 'stable' | 'declining' | 'fluctuating';

/** An iteration and its quality from 0 to 100, if that is known. */
export interface Scored {
  readonly number: number;
  readonly quality_score?: number | undefined;
}

/** How much each iteration gained over the one before it whose quality is known. */
export function qualityDeltas(iterations: readonly Scored[]): ReadonlyMap<number, number> {
  const deltas = new Map<number, number>();
  let before: number | undefined;
  for (const { number, quality_score: score } of iterations) {
    if (score === undefined) continue;
    if (before !== undefined) deltas.set(number, score - before);
    before = score;
  }
  return deltas;
}

/** The direction of all changes in quality. */
export function trajectoryOf(deltas: readonly number[]): Trajectory {
  const [up, down] = [deltas.some((delta) => delta > 0), deltas.some((delta) => delta < 0)];
  if (up && down) return 'fluctuating';
  if (up) return 'improving';
  return down ? 'declining' : 'stable';
}

/** The iteration after which more of them brought little for the first time. */
export function diminishingFrom(iterations: readonly Scored[]): number | undefined {
  const scores = iterations.flatMap(({ number, quality_score: score }) =>
    score === undefined ? [] : [{ iteration: number, score }],
  );
  const first = scores.findIndex(
    (_, index) => (returnsOf(scores.slice(0, index + 1))?.trend ?? 'gaining') !== 'gaining',
  );
  return scores[first]?.iteration;
}

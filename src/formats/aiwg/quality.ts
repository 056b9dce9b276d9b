import type { Quality } from '../../protocol/index.ts';

/** How much each part of the evidence counts; the schema's other parts cannot be measured. */
const weights = { validation: 0.3, completeness: 0.25, correctness: 0.25 } as const;

/** A smaller improvement, in points, is a low one. */
const lowDelta = 5;
/** A rise of no more than this, and a fall of less, is no change. */
const noise = 2;

/** How the quality of the work developed. */
export type Trajectory = 'improving' | 'stable' | 'declining' | 'fluctuating';

/**
 * How good the work was, from 0 to 100: what the checks prove, how many of them passed, and how many tests did. Without
 * any evidence, a run that succeeded counts half.
 */
export function qualityScore({ proof, checks, tests, worked }: Quality): number {
  const parts = [
    [weights.validation, validationOf(proof, checks)],
    [weights.completeness, checks && share(checks.passed, checks.total)],
    [weights.correctness, tests && share(tests.passed, tests.passed + tests.failed)],
  ] as const;
  const known = parts.flatMap(([weight, value]) => (value === undefined ? [] : [{ weight, value }]));
  if (known.length === 0) return worked ? 50 : 0;
  const total = known.reduce((sum, { weight }) => sum + weight, 0);
  const reached = known.reduce((sum, { weight, value }) => sum + weight * value, 0);
  return Math.round((100 * reached) / total);
}

function validationOf(proof: Quality['proof'], checks: Quality['checks']): number | undefined {
  switch (proof) {
    case 'passed':
      return 1;
    case 'partly':
      return (checks && share(checks.passed, checks.total)) ?? 0;
    case 'refused':
    case 'tampered':
      return 0;
    case 'unknown':
      return undefined;
  }
}

function share(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

/** What the scores of all iterations, in their order, say about the loop. */
export interface QualityTrend {
  /** The position of the best score; the earlier one of equals. */
  readonly best: number;
  readonly trajectory: Trajectory;
  /** The position of the second low improvement in a row, if there is one. */
  readonly diminishedAt?: number;
}

/** The trend of scores; undefined without any. */
export function qualityTrend(scores: readonly number[]): QualityTrend | undefined {
  if (scores.length === 0) return undefined;
  const deltas = scores.slice(1).map((score, index) => score - (scores[index] ?? 0));
  const low = deltas.findIndex((delta, index) => delta < lowDelta && (deltas[index - 1] ?? Infinity) < lowDelta);
  return {
    best: scores.indexOf(Math.max(...scores)),
    trajectory: trajectoryOf(deltas),
    ...(low < 0 ? {} : { diminishedAt: low + 1 }),
  };
}

function trajectoryOf(deltas: readonly number[]): Trajectory {
  const rises = deltas.some((delta) => delta > noise);
  const falls = deltas.some((delta) => delta <= -noise);
  if (rises && falls) return 'fluctuating';
  if (rises) return 'improving';
  return falls ? 'declining' : 'stable';
}

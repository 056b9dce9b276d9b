import { analytics, measuredScore } from './analytics-report.ts';

/** How the best iteration is found. */
export type SelectionStrategy = 'highest_quality' | 'highest_quality_verified' | 'most_recent_above_threshold';

/** Which iteration to select. */
export interface SelectionOptions {
  /** By default the best of those that the checks verified. */
  readonly strategy?: SelectionStrategy;
  /** The score from which `most_recent_above_threshold` accepts an iteration; 70 by default. */
  readonly threshold?: number;
}

/** The selected iteration, and why it was selected. */
export interface SelectedIteration {
  /** Its number. */
  readonly iteration_number: number;
  /** Its quality, from 0 to 100. */
  readonly quality_score: number;
  /** No iteration met the strategy, so that all of them were considered. */
  readonly fell_back: boolean;
  /** Why it was selected. */
  readonly reason: string;
}

interface Candidate {
  readonly number: number;
  readonly score: number;
  readonly isVerified: boolean;
}

interface Strategy {
  accepts(candidate: Candidate, threshold: number): boolean;
  /** The newest one that it accepts instead of the best. */
  readonly takesNewest?: true;
  /** What is said about those that it accepts, and if it accepts none. */
  some(threshold: number): string;
  none(threshold: number): string;
}

const strategies: Readonly<Record<SelectionStrategy, Strategy>> = {
  highest_quality: { accepts: () => true, some: () => 'the best of all', none: () => '' },
  highest_quality_verified: {
    accepts: ({ isVerified }) => isVerified,
    some: () => 'the best of those that the checks verified',
    none: () => 'no iteration is verified',
  },
  most_recent_above_threshold: {
    accepts: ({ score }, threshold) => score >= threshold,
    takesNewest: true,
    some: (threshold) => `the newest with a quality of at least ${threshold}`,
    none: (threshold) => `no iteration has a quality of at least ${threshold}`,
  },
};

/** Selects an iteration of an analytics document by its quality; undefined if no quality was measured. */
export function selectIteration(
  document: unknown,
  { strategy = 'highest_quality_verified', threshold = 70 }: SelectionOptions = {},
): SelectedIteration | undefined {
  const { accepts, takesNewest, some, none } = strategies[strategy];
  const measured = analytics.parse(document).iterations.flatMap((iteration): readonly Candidate[] => {
    const score = measuredScore(iteration);
    const isVerified = iteration.verification_status === 'passed';
    return score === undefined ? [] : [{ number: iteration.iteration_number, score, isVerified }];
  });
  const accepted = measured.filter((candidate) => accepts(candidate, threshold));
  const fellBack = accepted.length === 0;
  const selected = takesNewest && !fellBack ? accepted.at(-1) : bestOf(fellBack ? measured : accepted);
  if (selected === undefined) return undefined;
  const why = fellBack ? `${none(threshold)}; the best of all` : some(threshold);
  return { iteration_number: selected.number, quality_score: selected.score, fell_back: fellBack, reason: why };
}

/** The earliest of equals: repeating a result achieves nothing new. */
function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.toSorted((one, other) => other.score - one.score)[0];
}

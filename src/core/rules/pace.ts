import { type Returns, returnsOf } from '../progress/returns.ts';
import type { Loop } from '../state/loop.ts';

/** What the newest iterations suggest to a person; no rule acts on it. */
export type Recommendation = 'continue' | 'monitor' | 'consider_change' | 'stop';

/** How fast a loop makes progress. */
export interface Pace {
  /** The mean score of the newest iterations, 0 to 1; `null` before the first score. */
  readonly velocity: number | null;
  /** Iterations in a row without progress. */
  readonly streak: number;
  readonly recommendation: Recommendation;
  /** Whether more iterations still improve what the checks prove; missing before two were checked. */
  readonly returns?: Returns;
}

const maxCounted = 5;
const goodVelocity = 0.1;

/** The pace of a loop, from the scores of its newest iterations. */
export function paceOf({ progress, totals: { stats } }: Pick<Loop, 'progress' | 'totals'>): Pace {
  const velocity = velocityOf(progress.recentScores);
  const streak = stats.noProgressCount;
  const returns = returnsOf(progress.recentQuality ?? []);
  return { velocity, streak, recommendation: recommend(streak, velocity), ...(returns && { returns }) };
}

/** The mean of the newest scores, in hundredths. */
export function velocityOf(scores: readonly number[]): number | null {
  const newest = scores.slice(-maxCounted);
  if (newest.length === 0) return null;
  return Math.round((100 * newest.reduce((sum, score) => sum + score, 0)) / newest.length) / 100;
}

/** What a streak without progress suggests; a loop that makes progress overall always continues. */
export function recommend(streak: number, velocity: number | null): Recommendation {
  if ((velocity !== null && velocity > goodVelocity) || streak <= 2) return 'continue';
  if (streak <= 5) return 'monitor';
  return streak <= 10 ? 'consider_change' : 'stop';
}

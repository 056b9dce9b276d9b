import type { Measure } from '../../protocol/index.ts';
import type { JudgedIteration } from './attempt.ts';

/** A number from the gate, with the best value in this loop. */
export interface KeptMeasure extends Measure {
  readonly best: number;
  /** The best value before the latest improvement. */
  readonly was?: number;
  /** The iteration of the latest improvement. */
  readonly betterIn?: number;
}

/** The quality of a checked iteration, from 0 to 100. */
export interface ScoredIteration {
  readonly iteration: number;
  readonly score: number;
}

/** How the work progresses from iteration to iteration. */
export interface ProgressState {
  /** The newest iteration that made progress; 0 when none did. */
  readonly lastIteration: number;
  /** The best iteration so far, and the newest that was checked; none in snapshots of the first releases. */
  readonly best?: JudgedIteration;
  readonly lastChecked?: JudgedIteration;
  /** Scores of the newest iterations, 0 to 1, newest last; those with unknown progress are left out. */
  readonly recentScores: readonly number[];
  /** The quality of the newest checked iterations, newest last; missing before the first. */
  readonly recentQuality?: readonly ScoredIteration[];
  /** The latest numbers from the gate, each with its best value. */
  readonly measures: readonly KeptMeasure[];
}

/** Nothing has been done. */
export const noProgress: ProgressState = { lastIteration: 0, recentScores: [], measures: [] };

/** How many progress scores stay in the state. */
export const maxScores = 20;

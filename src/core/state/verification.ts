import type { Check, Obstacle, TestCounts, Verdict } from '../../protocol/index.ts';
import type { GateResult } from './attempt.ts';

/** The result of the checks before the first iteration. */
export interface Baseline {
  readonly verdict: Verdict;
  readonly checks: readonly Check[];
  readonly tests?: TestCounts;
  readonly obstacle?: Obstacle;
  readonly warnings?: readonly string[];
  /** Files of the work tree that the checks write themselves. */
  readonly writes?: readonly string[];
}

/** One run of the gate, as the state document lists it. */
export interface CompletionCheck {
  readonly iteration: number;
  readonly at: string;
  readonly passed: boolean;
  /** Every check passed, but there was no work to prove. */
  readonly isUnchanged?: true;
  readonly output: string;
}

/** The results of the gate. */
export interface Verification {
  readonly baseline?: Baseline;
  /** The newest run of the gate. */
  readonly latest?: { readonly iteration: number; readonly result: GateResult };
  /** Why the newest gates could not check anything, and how many in a row. */
  readonly obstacle?: { readonly code: string; readonly gates: number };
  readonly completionChecks: readonly CompletionCheck[];
}

/** The gate has not run. */
export const notVerified: Verification = { completionChecks: [] };

/** Only the newest of these stay in the state; the journal has them all. */
export const maxCompletionChecks = 20;
/** How much of each completion check's output stays in the state. */
export const maxOutputLength = 1_000;

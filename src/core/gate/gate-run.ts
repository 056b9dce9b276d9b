import type {
  Check,
  CheckCommand,
  Guard,
  JudgedTree,
  Measure,
  Obstacle,
  ProofLevel,
  TestCounts,
  Verdict,
} from '../../protocol/index.ts';

/** The checks to run, and the guarded files that must be unchanged for them to prove anything. */
export interface GateTask {
  readonly checks: readonly CheckCommand[];
  readonly guards: readonly Guard[];
  /** Before a baseline no work was done, so every changed file was changed by the checks. */
  readonly purpose: 'baseline' | 'gate';
  /** The attempt whose work is judged; none before the first iteration. */
  readonly iteration?: number;
  readonly attempt?: number;
  /** An earlier owner may have begun this run: what it left running is ended first. */
  readonly isRepeat: boolean;
  /** The files of the work tree when the loop began. */
  readonly start?: JudgedTree | undefined;
  /** Files that the checks wrote in the work tree before any agent ran. */
  readonly expectedWrites?: readonly string[] | undefined;
  /** Files that changed while checks ran in this loop: changing them is not work of the agent. */
  readonly checkWrites?: readonly string[] | undefined;
}

/** The result of running the checks. */
export interface GateRun {
  readonly verdict: Verdict;
  readonly checks: readonly Check[];
  readonly tests?: TestCounts;
  readonly measures?: readonly Measure[];
  /** Guarded files that changed; after a baseline, the paths of their guards. */
  readonly tampered?: readonly string[];
  /** Changed files that affect what the checks run. */
  readonly doubts?: readonly string[];
  /** After a baseline: new guards of files that the checks themselves changed. */
  readonly renewed?: readonly Guard[];
  /** How many files changed since the loop began, where that is known. */
  readonly changedFiles?: number;
  /** Protected files that existed when the loop began and have changed. */
  readonly editedTests?: readonly string[];
  /** Files of the work tree that changed while the checks ran. */
  readonly writes?: readonly string[];
  /** Where the checks ran. */
  readonly proof?: ProofLevel;
  /** The files that the verdict applies to, where all of them were read. */
  readonly tree?: JudgedTree;
  /** Why nothing could be checked, when the agent cannot fix it. */
  readonly obstacle?: Obstacle;
  /** Everything else that a person should know about this run, one sentence each. */
  readonly warnings?: readonly string[];
  readonly durationMs: number;
}

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

/** The checks that are to run, and what must not have changed for them to mean anything. */
export interface GateTask {
  readonly checks: readonly CheckCommand[];
  readonly guards: readonly Guard[];
  /** A baseline only finds out: nothing has been worked on yet, so what differs was changed by the checks. */
  readonly purpose: 'baseline' | 'gate';
  /** An earlier owner may have begun with it: what it left running is ended first. */
  readonly isAgain: boolean;
  /** The files of the work tree when the loop began. */
  readonly start?: JudgedTree | undefined;
  /** Files that the checks wrote in the work tree before any agent ran. */
  readonly expectedWrites?: readonly string[] | undefined;
  /** Files that changed while checks ran, in this loop: to write them is no work of the agent. */
  readonly checkWrites?: readonly string[] | undefined;
}

/** What a run of the checks showed. */
export interface GateRun {
  readonly verdict: Verdict;
  readonly checks: readonly Check[];
  readonly tests?: TestCounts;
  readonly measures?: readonly Measure[];
  /** Guarded files that are not what they were; after a baseline the paths of their guards. */
  readonly tampered?: readonly string[];
  /** Files that affect what the checks run and are not what they were. */
  readonly doubts?: readonly string[];
  /** After a baseline: such files as the checks made them. */
  readonly renewed?: readonly Guard[];
  /** How many files differ from when the loop began, where that is known. */
  readonly changedFiles?: number;
  /** Protected files that were there when the loop began and are not what they were. */
  readonly editedTests?: readonly string[];
  /** Files of the work tree that changed while the checks ran. */
  readonly writes?: readonly string[];
  /** Where the checks ran. */
  readonly proof?: ProofLevel;
  /** The files that the verdict is about, where they were all read. */
  readonly tree?: JudgedTree;
  /** Why nothing could be checked, for a reason that the agent cannot remove. */
  readonly obstacle?: Obstacle;
  /** What else a person should know about this run, a sentence each. */
  readonly warnings?: readonly string[];
  readonly durationMs: number;
}

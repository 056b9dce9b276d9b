import type {
  AgentOutcome,
  Changes,
  Check,
  Ending,
  HookStep,
  JudgedTree,
  Measure,
  Obstacle,
  ProcessIdentity,
  ProofLevel,
  Quality,
  TestCounts,
  Verdict,
} from '../../protocol/index.ts';

/** What the agent's run showed, kept while its iteration is being judged. */
export interface Execution {
  readonly ending: Ending;
  readonly outcome: AgentOutcome;
  readonly resetAt?: string;
  readonly error?: string;
  readonly claimed: boolean;
  /** It said nothing, used no tool and reported no tokens. */
  readonly empty?: boolean;
  readonly summary?: string;
  readonly markers?: number;
  readonly changes: Changes;
  readonly durationMs: number;
}

/** What the gate showed, kept while its iteration is being judged. */
export interface GateResult {
  readonly verdict: Verdict;
  readonly checks: readonly Check[];
  readonly tests?: TestCounts;
  readonly measures?: Measure[];
  /** Guarded files that are not what they were: then the checks prove nothing. */
  readonly tampered?: string[];
  /** Files that have a say in what the checks run and are not what they were: somebody should look at them. */
  readonly doubts?: string[];
  readonly changedFiles?: number;
  readonly editedTests?: string[];
  readonly writes?: string[];
  readonly proof?: ProofLevel;
  readonly tree?: JudgedTree;
  readonly obstacle?: Obstacle;
  readonly warnings?: string[];
  readonly durationMs: number;
}

/** What the hooks of an attempt said so far. */
export interface AttemptHooks {
  /** The steps that have run; they never run again. */
  readonly finished: readonly HookStep[];
  /** Values for later hooks of the same attempt. */
  readonly data: Readonly<Record<string, string>>;
  /** What they add to the prompt. */
  readonly prompt?: string;
  /** A hook failed that must not. */
  readonly failure?: string;
}

/** The attempt under way. Its stage says which effect is next, so that a new owner goes on at the right place. */
export interface CurrentAttempt {
  readonly iteration: number;
  readonly attempt: number;
  /** The epoch that began it: an attempt of an older epoch has lost its runner. */
  readonly epoch: number;
  readonly startedAt: string;
  readonly stage: 'begun' | 'executing' | 'executed' | 'verifying' | 'verified';
  readonly hooks?: AttemptHooks;
  readonly process?: ProcessIdentity;
  readonly execution?: Execution;
  /** The files and scripts that conditions ask for have been looked at. */
  readonly isObserved?: true;
  readonly gate?: GateResult;
  /** What the tests said before this attempt's gate ran. */
  readonly testsBefore?: TestCounts;
  /** What only this prompt carried; an attempt that comes to nothing gives it back to the next one. */
  readonly delivered: { readonly guidance: readonly Guidance[]; readonly handOff: boolean };
}

/** Something a user said while the loop runs; it goes into the next prompt exactly once. */
export interface Guidance {
  readonly id: string;
  readonly text: string;
}

/** An iteration that is over, and how good the work was then. */
export interface JudgedIteration {
  readonly iteration: number;
  readonly quality: Quality;
}

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
  TestHints,
  Verdict,
} from '../../protocol/index.ts';
import type { Guidance } from './commands.ts';

/** The result of the agent's run, kept while its iteration is being judged. */
export interface Execution {
  readonly ending: Ending;
  readonly outcome: AgentOutcome;
  readonly resetAt?: string;
  readonly error?: string;
  readonly claimed: boolean;
  /** It printed no text, used no tool and reported no tokens. */
  readonly empty?: boolean;
  readonly summary?: string;
  readonly markers?: number;
  /** What the agent's own test runs showed; no rule depends on it. */
  readonly testHints?: TestHints;
  readonly changes: Changes;
  readonly durationMs: number;
}

/** The result of the gate, kept while its iteration is being judged. */
export interface GateResult {
  readonly verdict: Verdict;
  /** Nothing was claimed: the checks were only due. */
  readonly isPeriodic?: true;
  readonly checks: readonly Check[];
  readonly tests?: TestCounts;
  readonly measures?: Measure[];
  /** Guarded files that were changed: then the checks prove nothing. */
  readonly tampered?: string[];
  /** Changed files that affect what the checks run: a person should review them. */
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

/** The results of the hooks of an attempt so far. */
export interface AttemptHooks {
  /** The steps that have run; they never run again. */
  readonly finished: readonly HookStep[];
  /** Values for later hooks of the same attempt. */
  readonly data: Readonly<Record<string, string>>;
  /** What they add to the prompt. */
  readonly prompt?: string;
  /** A hook failed that must not fail. */
  readonly failure?: string;
}

/** The attempt under way. Its stage decides which effect is next, so that a new owner continues at the right place. */
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
  /** The files and scripts that conditions ask for have been checked. */
  readonly isObserved?: true;
  /** The checks run only because they are due, so that they complete nothing. */
  readonly isPeriodic?: true;
  readonly gate?: GateResult;
  /** The test counts before this attempt's gate ran. */
  readonly testsBefore?: TestCounts;
  /** What only this prompt carried; if the attempt has no result, the next prompt carries it again. */
  readonly delivered: {
    readonly guidance: readonly Guidance[];
    /** Ids of the standing guidance in the prompt; the loop keeps the guidance itself. */
    readonly standing?: readonly string[];
    readonly handOff: boolean;
    readonly correction?: 'exploration';
  };
}

/** A finished iteration, and how good the work was at its end. */
export interface JudgedIteration {
  readonly iteration: number;
  readonly quality: Quality;
}

/** Whether the gate proves that the task is done: it passed, and something was claimed. */
export function isProven({ gate }: Pick<CurrentAttempt, 'gate'>): boolean {
  return gate?.verdict === 'passed' && gate.isPeriodic !== true;
}

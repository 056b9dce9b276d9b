import type { LimitSetting, ProofLevel, RuleStanding, StopReason, TestRecord, Verdict } from '../../protocol/index.ts';
import type { Doubt } from '../gate/doubts.ts';
import type { Pace } from '../rules/pace.ts';
import type { DueReboot } from '../rules/reboots.ts';
import type { SessionHealth } from '../rules/session-health.ts';
import type { CurrentAttempt, JudgedIteration } from '../state/attempt.ts';
import type { Wait } from '../state/pending.ts';
import type { DeniedCalls } from '../state/signals.ts';
import type { Question } from '../state/supervision.ts';

// Data only: each user interface decides how to phrase it, and which command or option the next step is.

/** Why a loop is in its current state, based on facts alone. */
export interface Explanation {
  readonly situation: Situation;
  /** What led to it, or what would end it next. */
  readonly because: readonly Cause[];
  readonly evidence: readonly Evidence[];
  /** Every stop rule, the closest first; none for a completed loop. */
  readonly rules: readonly RuleStanding[];
  readonly pace: Pace;
  /** The agent's session; missing before its first run. */
  readonly session?: SessionHealth;
  readonly doubts: readonly Doubt[];
  readonly warnings: readonly string[];
  /** None before a loop has completed. */
  readonly proof: ProofLevel;
  /** What can be done about it, the most useful step first. */
  readonly next: readonly NextStep[];
}

/** The part of an explanation that depends on what the loop is doing. */
export type Account = Pick<Explanation, 'situation' | 'because' | 'evidence' | 'next'>;

/** What a loop is doing, or how it ended. */
export type Situation =
  | { readonly kind: 'idle' | 'rebooting' | 'completing' | 'trusted' | 'crashed' | 'owner_lost' }
  | { readonly kind: 'working'; readonly iteration: number; readonly stage: CurrentAttempt['stage'] }
  | { readonly kind: 'waiting'; readonly cause: Wait['cause']; readonly leftMs: number }
  /** It waits for a person's decision. */
  | ({ readonly kind: 'asking' } & Pick<Question, 'point' | 'iteration' | 'why'>)
  /** It waits, and its owner shut down cleanly; the remaining time is 0 when it is due. */
  | { readonly kind: 'parked'; readonly leftMs: number }
  /** Between two iterations; 0 before the first. */
  | { readonly kind: 'between'; readonly iteration: number }
  | { readonly kind: 'paused' | 'failed' | 'aborted'; readonly reason: StopReason }
  /** Paused because the checks could not run before the first iteration. */
  | { readonly kind: 'checks_broken' }
  /** Paused because the checks cannot run, for a reason that the agent cannot fix. */
  | { readonly kind: 'checks_blocked'; readonly message: string }
  | {
      readonly kind: 'proven';
      readonly failedTests: number;
      readonly hadPassedBefore: boolean;
      readonly isDoubtful: boolean;
    };

/** One reason for the situation. */
export type Cause =
  | { readonly kind: 'not_started' | 'nothing_to_verify' }
  /** A text on record: of the loop, its agent or its hooks. */
  | { readonly kind: 'message'; readonly text: string }
  /** Nothing but the reason is on record. */
  | { readonly kind: 'reason'; readonly reason?: StopReason }
  | { readonly kind: 'no_message' }
  | { readonly kind: 'repeated'; readonly times: number }
  | { readonly kind: 'requested'; readonly request: 'end' | 'pause' | 'skip' | 'reboot' }
  | NextStop
  /** A reboot is due, and a limit on reboots holds it back. */
  | { readonly kind: 'reboot_held'; readonly reboot: Required<DueReboot> }
  | { readonly kind: 'wait_left'; readonly leftMs: number }
  | { readonly kind: 'completion'; readonly isVerified: boolean }
  | { readonly kind: 'checks_passed'; readonly iteration?: number }
  | { readonly kind: 'obstacle'; readonly message: string }
  | { readonly kind: 'proven_too_late'; readonly iteration: number }
  | { readonly kind: 'stopped_at'; readonly iteration?: number; readonly isAgentDone: boolean };

/** A rule that would stop the loop next. */
export interface NextStop {
  readonly kind: 'next_stop';
  readonly standing: RuleStanding;
  readonly outcome: 'pause' | 'end';
  /** How much is left of what the rule counts; missing for one that counts nothing. */
  readonly left?: number;
}

/** One observation that supports the explanation. */
export type Evidence =
  /** `iteration` is 0 for the run before the first one, and missing for the run that proved completion. */
  | { readonly kind: 'check'; readonly command: string; readonly verdict: Verdict; readonly iteration?: number }
  | { readonly kind: 'gate'; readonly verdict: Verdict; readonly iteration: number }
  | { readonly kind: 'tampered'; readonly files: readonly string[] }
  | { readonly kind: 'failure'; readonly message: string }
  | {
      readonly kind: 'tests';
      readonly passed: number;
      readonly total: number;
      readonly failed: number;
      readonly framework: string;
    }
  | { readonly kind: 'broken_tests' | 'flaky_tests'; readonly names: readonly string[] }
  | { readonly kind: 'stubborn_tests'; readonly tests: readonly TestRecord[] }
  /** The latest run was not allowed to use these tools. */
  | { readonly kind: 'denied'; readonly agent: string; readonly denied: DeniedCalls }
  /** An earlier iteration was better than the newest that was checked. */
  | {
      readonly kind: 'better_iteration';
      readonly best: JudgedIteration;
      readonly checked: number;
      readonly finished: number;
    }
  /** `lastProgress` is 0 when no iteration made progress. */
  | { readonly kind: 'work'; readonly finished: number; readonly failed: number; readonly lastProgress: number }
  | { readonly kind: 'progress'; readonly finished: number; readonly lastProgress: number };

/** A limit and the value to raise it to. */
export interface Raise {
  readonly setting: LimitSetting;
  readonly to: number;
}

/** One thing a person can do about the situation. */
export type NextStep =
  | { readonly step: 'continue' | 'skip' | 'retry' | 'guide' | 'status' | 'report' | 'pause' | 'recover' | 'agents' }
  | { readonly step: 'abort'; readonly endsAgent?: true }
  | ResumeStep
  | StartStep
  /** See what changed since the best iteration. */
  | { readonly step: 'compare'; readonly commit: string; readonly iteration: number };

/** Continue the loop. */
export interface ResumeStep extends Raising {
  readonly step: 'resume';
  readonly accept?: 'conditions' | 'broken_baseline';
}

/** Start the task again as a new loop. */
export interface StartStep extends Raising {
  readonly step: 'start';
  readonly verify?: true;
  /** The work so far is in the work tree. */
  readonly continues: boolean;
}

interface Raising {
  readonly raise: readonly Raise[];
  /** Limits written as conditions that the user has to raise in the settings first, such as `stop.0`. */
  readonly conditions?: readonly string[];
  /** What the user has to fix first. */
  readonly because?: StopReason | 'checks_broken';
  /** How to remove the obstacle that keeps the checks from running, a sentence. */
  readonly fix?: string;
}

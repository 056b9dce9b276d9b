import type { Explanation, IterationRow, Loop } from '../core/index.ts';
import type { ProofLevel, Status, StopReason } from '../protocol/index.ts';

/** A command that a person can run, and what it does. */
export interface Suggestion {
  readonly command: string;
  readonly does: string;
}

/** Why a loop is in its state, in words. */
export interface ExplainedLoop extends Pick<Explanation, 'rules'> {
  readonly headline: string;
  readonly because: readonly string[];
  readonly evidence: readonly string[];
  readonly doubts: readonly { readonly code: string; readonly message: string }[];
  readonly next: readonly Suggestion[];
}

/** What an explanation depends on besides the loop. */
export interface ExplainedAt {
  readonly nowMs: number;
  readonly shownStatus: Status | 'idle';
  readonly wakeAt?: string | undefined;
}

/** The texts of the command line that the screen shows as well, so that both say the same. */
export interface ScreenWords {
  explain(loop: Loop, at: ExplainedAt): ExplainedLoop;
  /** A local time, with the day unless it is today. */
  instant(instantMs: number, nowMs: number): string;
  /** What a stop reason means, as a clause. */
  reason(reason: StopReason): string;
  /** The sign and the result of an iteration. */
  outcome(row: IterationRow, status: Status | 'idle'): { readonly mark: string; readonly word: string };
  /** Where the checks ran. */
  level(level: ProofLevel): string;
}

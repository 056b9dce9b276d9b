import type { ConditionResult, FailureClass } from '../../protocol/index.ts';

/** The last failure that counted, for the rule about repeated errors. */
export interface LastFailure {
  readonly class: FailureClass;
  readonly message: string;
  readonly signature: string;
  readonly streak: number;
  /** Places of the conditions that its message meets. */
  readonly matches?: readonly string[];
}

/** What stop rules and conditions depend on, besides the totals. */
export interface StopSignals {
  readonly lastFailure?: LastFailure;
  readonly matchedPattern?: string;
  /** Results of the latest check of files and scripts for conditions. */
  readonly observed?: readonly ConditionResult[];
  /** Places of the conditions that the agent's latest output met. */
  readonly outputMatches?: readonly string[];
  /** A hook asked the loop to stop. */
  readonly hookStop?: { readonly hook: string; readonly reason: string };
}

/** No reason to stop. */
export const noSignals: StopSignals = {};

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

/** The tool calls of one run that the agent's permissions did not allow. */
export interface DeniedCalls {
  readonly iteration: number;
  readonly count: number;
  readonly tools: readonly string[];
}

/** The latest run only explored. */
export interface Spiral {
  readonly iteration: number;
  /** Its calls that read, list or search. */
  readonly reads: number;
  /** A prompt has told the agent since the spiral began. */
  readonly isCorrected?: true;
}

/** What stop rules and conditions depend on, besides the totals. */
export interface StopSignals {
  readonly lastFailure?: LastFailure;
  readonly matchedPattern?: string;
  /** Results of the latest check of files and scripts for conditions. */
  readonly observed?: readonly ConditionResult[];
  /** Places of the conditions that the agent's latest output met. */
  readonly outputMatches?: readonly string[];
  /** What the latest run was not allowed to do. */
  readonly denied?: DeniedCalls;
  /** It explored and did nothing else. */
  readonly spiral?: Spiral;
  /** A hook asked the loop to stop. */
  readonly hookStop?: { readonly hook: string; readonly reason: string };
}

/** No reason to stop. */
export const noSignals: StopSignals = {};

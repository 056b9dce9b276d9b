import type { Condition, ConditionSet, StopReason } from '../../protocol/index.ts';
import { priorities } from './conditions/entries.ts';

/** How close a stop rule is to stopping the loop after the latest iteration. */
export interface RuleStanding {
  readonly rule: StopReason;
  /** A limit the user set, which `onLimit` may turn into a pause; other rules end the loop. */
  readonly kind: 'limit' | 'rule';
  /** 0 to 1; 1 means that no further iteration may start. `null`: it cannot be measured. */
  readonly near: number | null;
  /** The evidence, in words. */
  readonly evidence: string;
  /** For a user-defined condition: its set. A success condition ends nothing; it makes the loop run the gate. */
  readonly set?: ConditionSet;
  /** For a user-defined condition: its place in the settings, such as `stop.0`. */
  readonly key?: string;
  /** For a user-defined condition: what it is waiting for. */
  readonly description?: string;
}

/** A standing and how urgent it is. */
export interface Ranked {
  readonly rank: number;
  readonly standing: RuleStanding;
}

/** Standings that are as urgent as a kind of condition. */
export function ranked(type: Condition['type'], standings: readonly RuleStanding[]): readonly Ranked[] {
  return standings.map((standing) => ({ rank: priorities[type], standing }));
}

import type { Condition, RuleStanding } from '../../protocol/index.ts';
import { priorities } from './conditions/entries.ts';

/** A standing and how urgent it is. */
export interface Ranked {
  readonly rank: number;
  readonly standing: RuleStanding;
}

/** Standings that are as urgent as a kind of condition. */
export function ranked(type: Condition['type'], standings: readonly RuleStanding[]): readonly Ranked[] {
  return standings.map((standing) => ({ rank: priorities[type], standing }));
}

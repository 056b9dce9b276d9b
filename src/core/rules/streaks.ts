import {
  type RuleStanding,
  type StopReason,
  type StreakRule,
  stopReasonTable,
  streakRules,
} from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';

interface Streak {
  readonly length: (loop: Loop) => number;
  /** What the iterations in a row have in common, as evidence. */
  readonly what: string;
}

const streaks: Readonly<Record<StreakRule, Streak>> = {
  same_error: {
    length: ({ signals }) => signals.lastFailure?.streak ?? 0,
    what: 'iterations in a row failed with the same error',
  },
  iteration_failures: {
    length: ({ totals }) => totals.stats.iterationFailureStreak,
    what: 'iterations in a row failed',
  },
  test_failures: {
    length: ({ totals }) => totals.stats.testFailureStreak,
    what: 'changes in a row made no failing test pass',
  },
  no_progress: {
    length: ({ totals }) => totals.stats.noProgressCount,
    what: 'iterations in a row made no progress',
  },
};

/** How close every rule is that counts iterations in a row; a bound of 0 switches a rule off. */
export function streakStandings(loop: Loop): RuleStanding[] {
  return streakRules.flatMap((rule) => {
    const max = maxOf(rule, loop);
    if (max === 0) return [];
    const { length, what } = streaks[rule];
    const near = Math.min(1, length(loop) / max);
    return [{ rule, kind: 'rule', near, evidence: `${length(loop)} of ${max} ${what}` }];
  });
}

/** How many more iterations of its kind a rule allows; undefined for a rule that counts none. */
export function streakLeft(reason: StopReason, loop: Loop): number | undefined {
  const rule = streakRules.find((each) => each === reason);
  return rule === undefined ? undefined : maxOf(rule, loop) - streaks[rule].length(loop);
}

function maxOf(rule: StreakRule, { config }: Loop): number {
  return config.stopConditions[stopReasonTable[rule].streak.setting];
}

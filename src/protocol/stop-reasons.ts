import type { exitCodes } from '../base/index.ts';
import { type LimitReason, limitOf, limitReasons } from './limits.ts';

/** A rule that ends a loop after a number of iterations in a row. */
interface Streak {
  /** The setting that holds the number, its default, and what its help says. */
  readonly setting: `max${string}`;
  readonly max: number;
  readonly help: string;
}

interface StopReasonRow {
  /** The exit code of a command whose loop stopped for this reason. */
  readonly exit: keyof typeof exitCodes;
  readonly streak?: Streak;
}

/**
 * Every stop reason that is not a limit: types, settings and exit codes follow from this table. Its stop rules are the
 * reasons with that exit code; if several streaks reach their number, the first one here is named.
 */
export const stopReasonTable = {
  // Only the status says whether a loop completed, never its reason.
  completed: { exit: 'failed' },
  same_error: {
    exit: 'stopRule',
    streak: {
      setting: 'maxSameErrorStreak',
      max: 3,
      help: 'Stop after the same error this many times in a row; 0 disables the rule.',
    },
  },
  iteration_failures: {
    exit: 'stopRule',
    streak: {
      setting: 'maxIterationFailureStreak',
      max: 5,
      help: 'Stop after this many consecutive failed iterations; 0 disables the rule.',
    },
  },
  test_failures: {
    exit: 'stopRule',
    streak: {
      setting: 'maxTestFailureStreak',
      max: 3,
      help: 'Stop after this many consecutive iterations without fewer failing tests; 0 disables the rule.',
    },
  },
  no_progress: {
    exit: 'stopRule',
    streak: {
      setting: 'maxNoProgressIterations',
      max: 5,
      help: 'Stop after this many consecutive iterations without progress; 0 disables the rule.',
    },
  },
  protected_files: { exit: 'stopRule' },
  pattern: { exit: 'stopRule' },
  script: { exit: 'stopRule' },
  condition: { exit: 'stopRule' },
  user_abort: { exit: 'failed' },
  user_pause: { exit: 'needsPerson' },
  interrupted: { exit: 'interrupted' },
  provider_limit: { exit: 'providerLimit' },
  environment: { exit: 'needsPerson' },
  configuration: { exit: 'configuration' },
  recovery_failed: { exit: 'failed' },
} as const satisfies Readonly<Record<string, StopReasonRow>>;

type Table = typeof stopReasonTable;
type ReasonsWith<Row> = { [Reason in keyof Table]: Table[Reason] extends Row ? Reason : never }[keyof Table];

/** A stop reason that is not a limit. */
export type OtherReason = keyof Table;

/** The stop reason of a rule that counts iterations in a row. */
export type StreakRule = ReasonsWith<{ readonly streak: Streak }>;

/** The setting of a rule that counts iterations in a row. */
export type StreakSetting = Table[StreakRule]['streak']['setting'];

const otherReasons = Object.keys(stopReasonTable).filter((reason) => reason !== 'completed') as Exclude<
  OtherReason,
  'completed'
>[];

/** Why a loop ended or paused. */
export const stopReasons = ['completed', ...limitReasons, ...otherReasons] as const;
/** One reason. */
export type StopReason = (typeof stopReasons)[number];

/** The rules that count iterations in a row, the first to be named first. */
export const streakRules = otherReasons.filter((reason): reason is StreakRule => 'streak' in stopReasonTable[reason]);

/** The name of the exit code of a command whose loop stopped for a reason. */
export function exitOf(reason: StopReason): keyof typeof exitCodes {
  return isLimitReason(reason) ? 'limit' : stopReasonTable[reason].exit;
}

function isLimitReason(reason: StopReason): reason is LimitReason {
  return limitOf(reason) !== undefined;
}

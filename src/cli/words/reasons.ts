import { limitOf, type OtherReason, type StopReason, type StreakRule } from '../../protocol/index.ts';

/** A stop reason for people. */
export interface ReasonText {
  /** What happened, as a clause. */
  readonly what: string;
  /** What to do about it. */
  readonly advice: string;
}

/** A stop reason that a rule watches for. */
interface RuleText extends ReasonText {
  /** What makes the rule stop the loop, given how many of the counted iterations are left. */
  readonly until: (left: number) => string;
}

type TextOf<Reason> = Reason extends StreakRule ? RuleText : ReasonText & Partial<RuleText>;

/** A stop reason for people. */
export function reasonText(reason: StopReason): ReasonText {
  const limit = limitOf(reason);
  if (limit === undefined) return otherReasons[reason as OtherReason];
  const { unit, many } = limit;
  if (unit === 'count') return { what: `the maximum number of ${many} is used up`, advice: `allow more ${many}` };
  if (unit === 'time') return { what: `the maximum ${many} is used up`, advice: 'allow more time' };
  return { what: `the maximum ${many} is used up`, advice: `allow a higher ${many}` };
}

/** What makes a rule that is not a limit stop the loop; undefined if its evidence is enough. */
export function untilText(rule: StopReason, left = 0): string | undefined {
  return limitOf(rule) === undefined ? otherReasons[rule as OtherReason].until?.(left) : undefined;
}

const otherReasons: { readonly [Reason in OtherReason]: TextOf<Reason> } = {
  completed: { what: 'the task is done', advice: 'review the result' },
  no_progress: {
    what: 'several iterations in a row made no progress',
    advice: 'make the task smaller or clearer',
    until: (left) => `${left} more ${left === 1 ? 'iteration' : 'iterations'} without progress`,
  },
  test_failures: {
    what: 'several changes in a row fixed no failing test',
    advice: 'look at the failing tests; the task may need a hint about them',
    until: (left) => `${left} more ${left === 1 ? 'change that fixes' : 'changes that fix'} no failing test`,
  },
  iteration_failures: {
    what: 'several iterations in a row failed',
    advice: 'fix what makes the agent fail',
    until: (left) => (left === 1 ? '1 more failed iteration' : `${left} more failed iterations in a row`),
  },
  same_error: {
    what: 'the same error occurred several times in a row',
    advice: 'fix the cause of the error',
    until: (left) => `${left} more ${left === 1 ? 'iteration' : 'iterations in a row'} with the same error`,
  },
  protected_files: {
    what: 'the agent changed files that are protected',
    advice: 'review those files; tell the agent to leave them alone, or protect other files',
    until: () => 'a change to a protected file',
  },
  pattern: {
    what: 'an error matched one of your stop patterns',
    advice: 'fix the cause of the error',
    until: () => 'an error that matches one of your stop patterns',
  },
  script: {
    what: 'one of your scripts or hooks stopped it',
    advice: 'fix what the script or hook reported',
    until: () => 'a request from one of your scripts or hooks',
  },
  condition: { what: 'one of your conditions is met', advice: 'deal with what the condition detects' },
  user_abort: { what: 'it was ended on request', advice: 'start again whenever you like' },
  user_pause: { what: 'it was paused on request', advice: 'continue whenever you like' },
  interrupted: { what: 'a signal interrupted it', advice: 'continue where it stopped' },
  provider_limit: {
    what: "the provider's usage limit is reached, and the loop is configured not to wait",
    advice: 'continue once the limit has reset',
  },
  environment: {
    what: 'the machine, the network or a hook has a problem',
    advice: 'fix the problem and continue',
  },
  configuration: { what: 'the agent cannot work as configured', advice: 'fix its settings or its login' },
  recovery_failed: { what: 'its state on disk could not be recovered', advice: 'see what can be recovered' },
};

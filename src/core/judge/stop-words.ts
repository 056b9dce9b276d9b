import type { StopReason } from '../../protocol/index.ts';
import type { ShownLoop } from '../loop/loop.ts';
import { limitOf } from './limits.ts';
import type { RuleStanding } from './rule-standing.ts';

/** A stop reason for people. */
export interface ReasonWords {
  /** What happened, to stand behind "it stopped:". */
  readonly what: string;
  /** What to do about it. */
  readonly advice: string;
}

/** Every stop reason in words of its own. */
export const reasonWords: Readonly<Record<StopReason, ReasonWords>> = {
  completed: { what: 'the task is done', advice: 'look at what it did' },
  max_iterations: { what: 'all iterations that were allowed are used up', advice: 'allow more iterations' },
  max_time: { what: 'the running time that was allowed is used up', advice: 'allow more time' },
  max_tokens: { what: 'the tokens that were allowed are used up', advice: 'allow more tokens' },
  max_output_tokens: {
    what: 'the tokens that the agent was allowed to write are used up',
    advice: 'allow more output tokens',
  },
  max_tool_calls: { what: 'the tool calls that were allowed are used up', advice: 'allow more tool calls' },
  max_cost: { what: 'the money that was allowed is spent', advice: 'allow more money' },
  no_progress: {
    what: 'iteration after iteration moved nothing',
    advice: 'say what is missing: make the task smaller or clearer',
  },
  test_failures: {
    what: 'change after change made no failing test pass',
    advice: 'look at the failing tests: the task may need a hint about them',
  },
  iteration_failures: { what: 'iteration after iteration failed', advice: 'mend what makes the agent fail' },
  same_error: { what: 'the same error came again and again', advice: 'mend what the error names' },
  pattern: { what: 'an error matched a pattern that is to stop the loop', advice: 'mend what the error names' },
  script: { what: 'a program of yours asked it to stop', advice: 'see to what that program found' },
  condition: { what: 'a condition of yours is met', advice: 'see to what the condition stands for' },
  user_abort: { what: 'somebody ended it', advice: 'start again when you want to' },
  user_pause: { what: 'somebody paused it', advice: 'go on when you want to' },
  interrupted: { what: 'a signal interrupted it', advice: 'go on where it was' },
  provider_limit: {
    what: 'the provider says "later", and the loop is not to wait for that',
    advice: 'go on once the limit is over',
  },
  environment: {
    what: 'something around the agent does not work: the machine, the network or a hook',
    advice: 'mend that and go on',
  },
  configuration: { what: 'the agent cannot work the way it is set up', advice: 'mend its settings or its login' },
  recovery_failed: { what: 'what is left on disk could not be made whole', advice: 'see what is left of it' },
};

/** What would make a rule forbid the next iteration, in one sentence. */
export function tripText({ rule, kind, near, evidence, description }: RuleStanding, loop: ShownLoop): string {
  const stops = kind === 'limit' && loop.config.onLimit === 'pause' ? 'pause' : 'end';
  if (near !== null && near >= 1) return `it ${stops}s before another iteration starts: ${evidence}`;
  if (description !== undefined) return `it ${stops}s when ${description}: ${evidence}`;
  const limit = limitOf(rule);
  const left = limit?.left((limit.bound(loop.config) ?? 0) - limit.used(loop)) ?? leftUntil[rule]?.(loop);
  if (near === null || left === undefined) return `${evidence}; then it ${stops}s`;
  return `${left} ${left.startsWith('1 more ') || !/^\d/u.test(left) ? `${stops}s` : stops} it`;
}

/** What is left until a rule that is no limit is reached; one that is not here tells how near it is by itself. */
const leftUntil: Readonly<Partial<Record<StopReason, (loop: ShownLoop) => string>>> = {
  no_progress: ({ config, stats }) =>
    more(
      config.stopConditions.maxNoProgressIterations - stats.noProgressCount,
      'iteration without progress',
      'iterations without progress',
    ),
  test_failures: ({ config, stats }) =>
    more(
      config.stopConditions.maxTestFailureStreak - stats.testFailureStreak,
      'change that makes no failing test pass',
      'changes that make no failing test pass',
    ),
  iteration_failures: ({ config, stats }) =>
    more(
      config.stopConditions.maxIterationFailureStreak - stats.iterationFailureStreak,
      'failed iteration',
      'failed iterations in a row',
    ),
  same_error: ({ config, lastFailure }) =>
    more(
      config.stopConditions.maxSameErrorStreak - (lastFailure?.streak ?? 0),
      'iteration with the same error',
      'iterations in a row with the same error',
    ),
  pattern: () => 'an error that matches one of its patterns',
  script: () => 'a program of yours that asks for it',
};

function more(count: number, one: string, many: string): string {
  return count === 1 ? `1 more ${one}` : `${count} more ${many}`;
}

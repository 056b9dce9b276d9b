import { boundText, formatDuration } from '../../../base/index.ts';
import type { LeafCondition, TestCounts } from '../../../protocol/index.ts';
import { type PlacedCondition, placedIn } from './entries.ts';
import type { Evidence } from './evidence.ts';

const maxErrorLength = 300;

/** Whether a condition is met, and how close it is. */
export interface Judgement {
  /** `null`: unknown, which never counts as met, even inside another condition. */
  readonly met: boolean | null;
  /** 0 to 1, and 1 only when it is met; `null` when unknown. */
  readonly near: number | null;
  /** The evidence, in words. */
  readonly reason: string;
}

/** Evaluates a condition against the evidence. */
export function evaluate(placed: PlacedCondition, evidence: Evidence): Judgement {
  const { key, condition } = placed;
  switch (condition.type) {
    case 'all':
      return joined(within(placed, evidence), false);
    case 'any':
      return joined(within(placed, evidence), true);
    case 'not': {
      const [inner = unknown('nothing to negate')] = within(placed, evidence);
      return inner.met === null ? inner : plain(!inner.met, inner.reason);
    }
    default:
      return leaf(key, condition, evidence);
  }
}

function within(placed: PlacedCondition, evidence: Evidence): readonly Judgement[] {
  return placedIn(placed).map((inner) => evaluate(inner, evidence));
}

/** One that is `decisive` decides for all; without one, a single unknown leaves the question open. */
function joined(parts: readonly Judgement[], decisive: boolean): Judgement {
  const deciding = parts.filter(({ met }) => met === decisive);
  const open = parts.find(({ met }) => met === null);
  if (deciding.length === 0 && open !== undefined) return open;
  const met = deciding.length > 0 ? decisive : !decisive;
  const shown = deciding.length > 0 ? deciding.slice(0, 1) : parts;
  const shares = parts.flatMap(({ near }) => near ?? []);
  const near = decisive ? Math.max(0, ...shares) : Math.min(1, ...shares);
  return { met, near, reason: shown.map(({ reason }) => reason).join('; ') };
}

function leaf(key: string, condition: LeafCondition, evidence: Evidence): Judgement {
  switch (condition.type) {
    case 'max_iterations':
      return counted(evidence.iterations, condition.count, `of ${condition.count} iterations`);
    case 'max_duration':
      return timed(evidence.runningMs, condition.duration);
    case 'test_failure_streak':
      return counted(
        evidence.testFailureStreak,
        condition.count,
        `of ${condition.count} changes in a row made no failing test pass`,
      );
    case 'no_progress':
      return counted(
        evidence.noProgress,
        condition.count,
        `of ${condition.count} iterations in a row made no progress`,
      );
    case 'all_tests_pass':
      return allPass(evidence.tests);
    case 'specific_tests_pass':
      return thesePass(condition.tests, evidence.tests);
    case 'output_pattern': {
      const met = evidence.outputMatches.includes(key);
      return plain(met, met ? 'the output matches' : 'the output does not match');
    }
    case 'on_error':
      return failedWith(key, evidence);
    case 'file_created':
    case 'file_contains':
    case 'custom_script':
    case 'user_signal':
      return observedResult(key, evidence);
    case 'never':
      return plain(false, 'it is never met');
  }
}

function counted(amount: number, bound: number, what: string): Judgement {
  return { met: amount >= bound, near: Math.min(1, amount / bound), reason: `${amount} ${what}` };
}

function timed(ms: number, bound: number): Judgement {
  const reason = `${formatDuration(Math.floor(ms))} of ${formatDuration(bound)} running time`;
  return { met: ms >= bound, near: Math.min(1, ms / bound), reason };
}

/** If no test ran, the result is unknown. */
function allPass(tests: TestCounts | undefined): Judgement {
  if (tests === undefined || tests.passed + tests.failed === 0) return unknown('no tests were run');
  const { passed, failed } = tests;
  const ran = passed + failed;
  return {
    met: failed === 0,
    near: passed / ran,
    reason: failed === 0 ? `${passed} tests pass` : `${failed} of ${ran} tests fail`,
  };
}

function thesePass(names: readonly string[], tests: TestCounts | undefined): Judgement {
  if (tests === undefined) return unknown('no tests were run');
  const passing = new Set(tests.passing);
  const failing = names.find((name) => tests.failing.includes(name));
  const near = names.filter((name) => passing.has(name)).length / names.length;
  if (failing !== undefined) return { met: false, near, reason: `the test "${failing}" fails` };
  const missing = names.find((name) => !passing.has(name));
  return missing === undefined
    ? plain(true, 'they pass')
    : unknown(`the report does not say whether the test "${missing}" passes`);
}

function failedWith(key: string, { error, errorMatches }: Evidence): Judgement {
  if (error === undefined) return plain(false, 'the latest iteration did not fail');
  const met = errorMatches.includes(key);
  return plain(
    met,
    met ? `the latest iteration failed: ${boundText(error, maxErrorLength)}` : 'the error does not match',
  );
}

function observedResult(key: string, { observed }: Evidence): Judgement {
  const result = observed.find((each) => each.key === key);
  if (result === undefined) return unknown('not checked yet');
  const { met, detail = met === true ? 'met' : 'not met' } = result;
  return met === null ? unknown(detail) : plain(met, detail);
}

function plain(met: boolean, reason: string): Judgement {
  return { met, near: met ? 1 : 0, reason };
}

function unknown(reason: string): Judgement {
  return { met: null, near: null, reason };
}

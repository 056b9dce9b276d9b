import type { Condition } from '../../protocol/index.ts';
import { judgeProgress } from '../progress/progress.ts';
import { type ConditionEntry, entriesOf, unfold } from '../rules/conditions/entries.ts';
import { evaluate } from '../rules/conditions/evaluate.ts';
import type { Evidence } from '../rules/conditions/evidence.ts';
import { errorMatches } from '../rules/conditions/matches.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import type { Loop } from '../state/loop.ts';
import { blameFor } from './blame.ts';
import { failureMessage } from './classify.ts';

/**
 * The conditions for success by which an attempt counts as claimed: those that are met, and with `andUntested` those
 * that only its tests could decide. None while a condition for failure is met.
 */
export function claimedBy(
  loop: Loop,
  current: CurrentAttempt,
  { elapsedMs, andUntested }: { readonly elapsedMs: number; readonly andUntested: boolean },
): readonly string[] {
  const entries = entriesOf(loop.config, 'success');
  if (entries.length === 0) return [];
  const evidence = evidenceWithin(loop, current, elapsedMs);
  const holds = (entry: ConditionEntry) => evaluate(entry, evidence).met;
  if (entriesOf(loop.config, 'failure').some((entry) => holds(entry) === true)) return [];
  return entries
    .filter((entry) => holds(entry) ?? (andUntested && asksForTests(entry, evidence)))
    .map(({ key }) => key);
}

function asksForTests(entry: ConditionEntry, evidence: Evidence): boolean {
  return unfold(entry).some(
    (placed) => testTypes.has(placed.condition.type) && evaluate(placed, evidence).met === null,
  );
}

const testTypes: ReadonlySet<Condition['type']> = new Set(['all_tests_pass', 'specific_tests_pass'] as const);

/** The evidence about an attempt that has run but has not been judged yet. */
function evidenceWithin(loop: Loop, current: CurrentAttempt, elapsedMs: number): Evidence {
  const { execution, gate, iteration } = current;
  const passed = { iteration, limits: loop.config.iteration };
  const { outputMatches = [], observed = [] } = loop.signals;
  const failed = blameFor(loop, current) !== undefined;
  const error = failed && execution !== undefined ? failureMessage(execution, passed) : undefined;
  return {
    iterations: iteration,
    runningMs: loop.totals.runningMs + elapsedMs,
    testFailureStreak: loop.totals.stats.testFailureStreak,
    noProgress: withProgress(loop.totals.stats.noProgressCount, judgeProgress(loop, current).made),
    tests: gate?.tests,
    error,
    errorMatches: error === undefined ? [] : errorMatches(loop.config, error),
    outputMatches,
    observed,
  };
}

function withProgress(count: number, made: boolean | null): number {
  if (made === null) return count;
  return made ? 0 : count + 1;
}

import type { StopReason } from '../../protocol/index.ts';
import type { ShownLoop } from '../loop/loop.ts';
import { conditionStandings } from './conditions/standing.ts';
import { limits, shareOf, tellUse } from './limits.ts';
import { type Ranked, type RuleStanding, ranked } from './rule-standing.ts';

/** Every active stop rule, most urgent first, with how near it is; conditions for success stand last. */
export function standings(loop: ShownLoop): readonly RuleStanding[] {
  return [...endingRules(loop), ...conditionStandings(loop, 'success').map(({ standing }) => standing)];
}

/** The rule that forbids another iteration, if one does. */
export function trippedRule(loop: ShownLoop): RuleStanding | undefined {
  return endingRules(loop).find(({ near }) => near !== null && near >= 1);
}

/** The limits because of which a resting loop would rest or end again before anything of it could start. */
export function usedUpLimits(loop: ShownLoop): readonly RuleStanding[] {
  if (loop.status !== 'paused' || loop.current !== undefined || loop.earned !== undefined) return [];
  return endingRules(loop).filter(({ kind, near }) => kind === 'limit' && near === 1);
}

/** Conditions for failure come first; among the others, what every loop has comes before the user's of equal rank. */
function endingRules(loop: ShownLoop): readonly RuleStanding[] {
  const plain: readonly Ranked[] = [
    ...ranked('on_error', patternRule(loop)),
    ...ranked('user_signal', hookRule(loop)),
    ...ranked('max_iterations', limitRules(loop)),
    ...ranked('no_progress', streakRules(loop)),
    ...conditionStandings(loop, 'stop'),
  ];
  const sorted = plain.toSorted((one, other) => other.rank - one.rank);
  return [...conditionStandings(loop, 'failure'), ...sorted].map(({ standing }) => standing);
}

function patternRule(loop: ShownLoop): RuleStanding[] {
  if (loop.config.stopConditions.stopOnPatterns.length === 0) return [];
  const { matchedPattern } = loop;
  return [
    {
      rule: 'pattern',
      kind: 'rule',
      near: matchedPattern === undefined ? 0 : 1,
      evidence: matchedPattern === undefined ? 'no pattern matched an error' : `an error matched ${matchedPattern}`,
    },
  ];
}

function hookRule({ config, hookStop }: ShownLoop): RuleStanding[] {
  if (config.hooks.length === 0 && hookStop === undefined) return [];
  const evidence =
    hookStop === undefined ? 'no hook asked to stop' : `the hook "${hookStop.hook}" asked to stop: ${hookStop.reason}`;
  return [{ rule: 'script', kind: 'rule', near: hookStop === undefined ? 0 : 1, evidence }];
}

function limitRules(loop: ShownLoop): RuleStanding[] {
  return limits.flatMap((limit) => {
    const near = shareOf(limit, loop);
    return near === undefined ? [] : [{ rule: limit.rule, kind: 'limit', near, evidence: tellUse(limit, loop) }];
  });
}

function streakRules({ config, stats, lastFailure }: ShownLoop): RuleStanding[] {
  const { maxSameErrorStreak, maxIterationFailureStreak, maxTestFailureStreak, maxNoProgressIterations } =
    config.stopConditions;
  const same = lastFailure?.streak ?? 0;
  return [
    streak('same_error', same, { most: maxSameErrorStreak, what: 'iterations in a row failed with the same error' }),
    streak('iteration_failures', stats.iterationFailureStreak, {
      most: maxIterationFailureStreak,
      what: 'iterations in a row failed',
    }),
    streak('test_failures', stats.testFailureStreak, {
      most: maxTestFailureStreak,
      what: 'changes in a row made no failing test pass',
    }),
    streak('no_progress', stats.noProgressCount, {
      most: maxNoProgressIterations,
      what: 'iterations in a row made no progress',
    }),
  ].flat();
}

/** A streak rule; a bound of 0 switches it off. */
function streak(
  rule: StopReason,
  length: number,
  { most, what }: { readonly most: number; readonly what: string },
): RuleStanding[] {
  if (most === 0) return [];
  return [{ rule, kind: 'rule', near: Math.min(1, length / most), evidence: `${length} of ${most} ${what}` }];
}

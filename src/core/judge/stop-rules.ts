import { formatDuration } from '../../base/index.ts';
import type { StopReason } from '../../protocol/index.ts';
import type { ShownLoop } from '../loop/loop.ts';
import { conditionStandings } from './conditions/standing.ts';
import { type Ranked, type RuleStanding, ranked } from './rule-standing.ts';

/** Every active stop rule, most urgent first, with how near it is; conditions for success stand last. */
export function standings(loop: ShownLoop): readonly RuleStanding[] {
  return [...endingRules(loop), ...conditionStandings(loop, 'success').map(({ standing }) => standing)];
}

/** The rule that forbids another iteration, if one does. */
export function trippedRule(loop: ShownLoop): RuleStanding | undefined {
  return endingRules(loop).find(({ near }) => near !== null && near >= 1);
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

function limitRules({ config, finished, runningMs, spent }: ShownLoop): RuleStanding[] {
  const rules: RuleStanding[] = [];
  if (config.maxIterations > 0) {
    rules.push(
      limit('max_iterations', finished / config.maxIterations, `${finished} of ${config.maxIterations} iterations`),
    );
  }
  if (config.maxTime !== undefined) {
    const evidence = `${formatDuration(Math.floor(runningMs))} of ${formatDuration(config.maxTime)} running time`;
    rules.push(limit('max_time', runningMs / config.maxTime, evidence));
  }
  if (config.maxTokens !== undefined) {
    const measured = spent.unreportedTokens < spent.runs || spent.runs === 0;
    const evidence = `${spent.tokens} of ${config.maxTokens} tokens${unreported(spent.unreportedTokens)}`;
    rules.push(limit('max_tokens', measured ? spent.tokens / config.maxTokens : null, evidence));
  }
  if (config.maxCostUsd !== undefined) {
    const measured = spent.unreportedCost < spent.runs || spent.runs === 0;
    const evidence = `$${spent.costUsd.toFixed(2)} of $${config.maxCostUsd.toFixed(2)}${unreported(spent.unreportedCost)}`;
    rules.push(limit('max_cost', measured ? spent.costUsd / config.maxCostUsd : null, evidence));
  }
  return rules;
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

function limit(rule: StopReason, near: number | null, evidence: string): RuleStanding {
  return { rule, kind: 'limit', near: near === null ? null : Math.min(1, near), evidence };
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

function unreported(runs: number): string {
  return runs === 0 ? '' : ` (${runs} ${runs === 1 ? 'run' : 'runs'} reported nothing)`;
}

import { formatDuration } from '../../base/index.ts';
import type { StopReason } from '../../protocol/index.ts';
import type { ShownLoop } from '../loop/loop.ts';

/** How a stop rule stands after the latest iteration. */
export interface RuleStanding {
  readonly rule: StopReason;
  /** A limit the user set, which `onLimit` may turn into a pause; other rules end the loop. */
  readonly kind: 'limit' | 'rule';
  /** 0 to 1; 1 means that no further iteration may start. `null`: it cannot be measured. */
  readonly near: number | null;
  /** Where it stands, in words. */
  readonly evidence: string;
}

/** Every active stop rule, most urgent first, with how near it is. */
export function standings(loop: ShownLoop): readonly RuleStanding[] {
  return [...patternRule(loop), ...hookRule(loop), ...limitRules(loop), ...streakRules(loop)];
}

/** The rule that forbids another iteration, if one does. */
export function trippedRule(loop: ShownLoop): RuleStanding | undefined {
  return standings(loop).find(({ near }) => near !== null && near >= 1);
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

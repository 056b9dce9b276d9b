import { limits, protectionOf, type RuleStanding } from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';
import { conditionStandings } from './conditions/standing.ts';
import { describeUse, shareOf } from './limits.ts';
import { type Ranked, ranked } from './ranked.ts';
import { streakStandings } from './streaks.ts';

/** Every active stop rule, most urgent first, with how close it is; success conditions come last. */
export function standings(loop: Loop): readonly RuleStanding[] {
  return [...endingRules(loop), ...conditionStandings(loop, 'success').map(({ standing }) => standing)];
}

/** The rule that forbids another iteration, if one does. */
export function trippedRule(loop: Loop): RuleStanding | undefined {
  return endingRules(loop).find(({ near }) => near !== null && near >= 1);
}

/** The limits that would pause or end a paused loop again before it could start anything. */
export function usedUpLimits(loop: Loop): readonly RuleStanding[] {
  if (loop.status !== 'paused' || loop.position.current !== undefined || loop.position.earned !== undefined) return [];
  return endingRules(loop).filter(({ kind, near }) => kind === 'limit' && near === 1);
}

/** Failure conditions come first; among the others, built-in rules come before the user's of equal rank. */
function endingRules(loop: Loop): readonly RuleStanding[] {
  const plain: readonly Ranked[] = [
    ...ranked('on_error', patternRule(loop)),
    ...ranked('user_signal', protectedRule(loop)),
    ...ranked('user_signal', hookRule(loop)),
    ...ranked('max_iterations', limitRules(loop)),
    ...ranked('no_progress', streakStandings(loop)),
    ...conditionStandings(loop, 'stop'),
  ];
  const sorted = plain.toSorted((one, other) => other.rank - one.rank);
  return [...conditionStandings(loop, 'failure'), ...sorted].map(({ standing }) => standing);
}

function patternRule(loop: Loop): RuleStanding[] {
  if (loop.config.stopConditions.stopOnPatterns.length === 0) return [];
  const { matchedPattern } = loop.signals;
  return [
    {
      rule: 'pattern',
      kind: 'rule',
      near: matchedPattern === undefined ? 0 : 1,
      evidence: matchedPattern === undefined ? 'no pattern matched an error' : `an error matched ${matchedPattern}`,
    },
  ];
}

function protectedRule({ config, gate: { protectedFiles } }: Loop): RuleStanding[] {
  if (protectionOf(config.protect).mode !== 'stop') return [];
  const [file, ...more] = protectedFiles.changed;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const evidence =
    file === undefined ? 'no protected file was changed' : `${file}${others} changed, although protected`;
  return [{ rule: 'protected_files', kind: 'rule', near: file === undefined ? 0 : 1, evidence }];
}

function hookRule({ config, signals: { hookStop } }: Loop): RuleStanding[] {
  if (config.hooks.length === 0 && hookStop === undefined) return [];
  const evidence =
    hookStop === undefined ? 'no hook asked to stop' : `the hook "${hookStop.hook}" asked to stop: ${hookStop.reason}`;
  return [{ rule: 'script', kind: 'rule', near: hookStop === undefined ? 0 : 1, evidence }];
}

function limitRules(loop: Loop): RuleStanding[] {
  return limits.flatMap((limit) => {
    const near = shareOf(limit, loop);
    return near === undefined ? [] : [{ rule: limit.reason, kind: 'limit', near, evidence: describeUse(limit, loop) }];
  });
}

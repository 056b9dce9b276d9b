import type { Condition, ConditionSet, RuleStanding, StopReason } from '../../../protocol/index.ts';
import type { Loop } from '../../state/loop.ts';
import { type Ranked, ranked } from '../ranked.ts';
import { describeCondition } from './describe.ts';
import { type ConditionEntry, entriesOf } from './entries.ts';
import { evaluate } from './evaluate.ts';
import { type Evidence, evidenceAt } from './evidence.ts';

/** How close the conditions of a set are to being met between two iterations, most urgent first. */
export function conditionStandings(loop: Loop, set: ConditionSet): readonly Ranked[] {
  const entries = entriesOf(loop.config, set);
  if (entries.length === 0) return [];
  const evidence = evidenceAt(loop);
  return entries.flatMap((entry) => ranked(entry.condition.type, [standingOf(entry, evidence)]));
}

function standingOf({ set, key, condition }: ConditionEntry, evidence: Evidence): RuleStanding {
  const { near, reason } = evaluate({ key, condition }, evidence);
  const isLimit = set !== 'success' && (condition.type === 'max_iterations' || condition.type === 'max_duration');
  return {
    rule: set === 'success' ? 'completed' : reasonOf(condition),
    kind: isLimit ? 'limit' : 'rule',
    near,
    evidence: reason,
    set,
    key,
    description: describeCondition(condition),
  };
}

/** The stop reason of a loop that a condition ended. */
function reasonOf(condition: Condition): StopReason {
  switch (condition.type) {
    case 'max_iterations':
    case 'no_progress':
      return condition.type;
    case 'max_duration':
      return 'max_time';
    case 'test_failure_streak':
      return 'test_failures';
    case 'output_pattern':
      return 'pattern';
    case 'custom_script':
      return 'script';
    case 'on_error':
      return condition.pattern === undefined ? 'condition' : 'pattern';
    default:
      return 'condition';
  }
}

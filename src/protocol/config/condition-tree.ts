import type { Condition } from './loop-config.ts';

// Separate from the schemas, so that commands that only read loops need not load them.

/** The conditions directly inside another. */
export function conditionsIn(condition: Condition): readonly Condition[] {
  switch (condition.type) {
    case 'all':
    case 'any':
      return condition.conditions;
    case 'not':
      return [condition.condition];
    default:
      return [];
  }
}

/** The number of conditions that contain no others. */
export function countLeaves(conditions: readonly Condition[]): number {
  return conditions.reduce((sum, condition) => {
    const within = conditionsIn(condition);
    return sum + (within.length === 0 ? 1 : countLeaves(within));
  }, 0);
}

/** Whether a condition will eventually be met, whatever the agent does. */
export function isBound(condition: Condition): boolean {
  switch (condition.type) {
    case 'max_iterations':
    case 'max_duration':
      return true;
    case 'any':
      return condition.conditions.some(isBound);
    case 'all':
      return condition.conditions.every(isBound);
    default:
      return false;
  }
}

/** The nesting depth of a condition. */
export function depthOf(condition: Condition): number {
  return 1 + Math.max(0, ...conditionsIn(condition).map(depthOf));
}

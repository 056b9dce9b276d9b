import { depthOf } from './condition-tree.ts';
import { conditionSchema } from './conditions.ts';
import { list } from './settings.ts';

/** How deeply conditions may be nested. */
const maxNesting = 5;

/** A set of conditions; any one of them is enough. */
export function conditionSet() {
  return list(conditionSchema)
    .refine((conditions) => conditions.every((condition) => depthOf(condition) <= maxNesting), {
      error: `a list of conditions nested at most ${maxNesting} levels deep`,
    })
    .default([]);
}

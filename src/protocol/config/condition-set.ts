import { depthOf } from './condition-tree.ts';
import { conditionSchema } from './conditions.ts';
import { list } from './settings.ts';

/** How deep conditions may stand inside each other. */
const deepestNesting = 5;

/** A set of conditions; any one of them is enough. */
export function conditionSet() {
  return list(conditionSchema)
    .refine((conditions) => conditions.every((condition) => depthOf(condition) <= deepestNesting), {
      error: `a list of conditions that are nested at most ${deepestNesting} deep`,
    })
    .default([]);
}

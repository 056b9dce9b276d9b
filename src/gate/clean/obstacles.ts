import type { Obstacle } from '../../protocol/index.ts';
import { Unreadable } from '../../workspace/index.ts';

/** Reasons why no clean checkout can be made, which the agent cannot fix. The codes are permanent. */
export const obstacles = {
  noRepository: () => ({
    code: 'CLEAN_NO_REPOSITORY',
    message: 'there is no longer a git repository to check out from',
    fix: 'Restore the .git folder and resume.',
  }),
  nestedRepository: (inside: string) => ({
    code: 'CLEAN_NESTED_REPOSITORY',
    message: `${inside} is a nested repository, which a clean checkout cannot contain`,
    fix: 'Start the loop with "--verify-in tree", or move that repository out of the work tree and resume.',
  }),
  baseLost: (what: string) => ({
    code: 'CLEAN_BASE_LOST',
    message: `${what}, so the original tests cannot be run`,
    fix: 'Review the tests, then resume with "--accept-gate" to accept them as they are now.',
  }),
} as const satisfies Record<string, (...details: never[]) => Obstacle>;

/** A checkout failed for a reason that the agent cannot fix. */
export class CleanObstacle extends Unreadable {
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle) {
    super(obstacle.message);
    this.obstacle = obstacle;
  }
}

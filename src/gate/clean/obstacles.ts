import type { Obstacle } from '../../protocol/index.ts';
import { Unreadable } from '../../workspace/index.ts';

/** What keeps a clean checkout from being made, whatever the agent does. The codes are permanent. */
export const obstacles = {
  noRepository: () => ({
    code: 'CLEAN_NO_REPOSITORY',
    message: 'there is no longer a git repository to check out from',
    fix: 'Restore the .git folder and resume.',
  }),
  nestedRepository: (inside: string) => ({
    code: 'CLEAN_NESTED_REPOSITORY',
    message: `${inside} is a repository of its own, which a clean checkout cannot have`,
    fix: 'Start the loop with "--verify-in tree", or move that repository out of the work tree and resume.',
  }),
  baseLost: (what: string) => ({
    code: 'CLEAN_BASE_LOST',
    message: `${what}, so the tests cannot be run as they were when the loop began`,
    fix: 'Look at the tests, then resume with "--accept-gate" to take them as they are now.',
  }),
} as const satisfies Record<string, (...details: never[]) => Obstacle>;

/** Thrown where a checkout fails for a reason that the agent cannot remove. */
export class CleanObstacle extends Unreadable {
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle) {
    super(obstacle.message);
    this.obstacle = obstacle;
  }
}

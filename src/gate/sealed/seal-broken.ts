import type { Obstacle } from '../../protocol/index.ts';

/** The checks cannot be run as they were meant to, for a reason that the agent cannot remove. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle, options?: ErrorOptions) {
    super(obstacle.message, options);
    this.obstacle = obstacle;
  }
}

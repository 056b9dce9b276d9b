import type { Obstacle } from '../../protocol/index.ts';

const maxNamed = 5;

/** Reasons why sealed checks cannot run, which the agent cannot fix in the work tree. The codes are permanent. */
export const obstacles = {
  noEnvironment: () => ({
    code: 'ENVIRONMENT_MISSING',
    message: 'no snapshot for the sealed checks was taken before the loop began',
    fix: 'Resume with "--accept-gate", which takes a snapshot of the dependencies as they are now.',
  }),
  outsideChanged: (files: readonly string[]) => ({
    code: 'OUTSIDE_CHANGED',
    message: `files outside the work tree that the checks use have changed since the loop began: ${listed(files)}`,
    fix: 'Review them; if they are right, resume with "--accept-gate".',
  }),
  noSandbox: (why: string) => ({
    code: 'SANDBOX_LOST',
    message: `the sandbox of the checks cannot be created any more: ${why}`,
    fix: 'Repair it ("ralphd doctor" says what is missing), then resume the loop.',
  }),
  dependenciesChanged: (files: readonly string[]) => ({
    code: 'DEPENDENCIES_CHANGED',
    message: `the dependencies changed (${listed(files)}), and ralphd does not know how to install them for the sealed checks`,
    fix: 'Start a new loop with the setting "setup", for example "setup: npm ci".',
  }),
} as const satisfies Record<string, (...details: never[]) => Obstacle>;

/** A sealed gate cannot run for a reason that the agent cannot fix. */
export class SealedObstacle extends Error {
  override readonly name = 'SealedObstacle';
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle, options?: ErrorOptions) {
    super(obstacle.message, options);
    this.obstacle = obstacle;
  }
}

/** The first names of a list, and how many more there are. */
export function listed(names: readonly string[]): string {
  const rest = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

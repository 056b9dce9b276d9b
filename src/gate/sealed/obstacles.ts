import type { Obstacle } from '../../protocol/index.ts';

const maxNamed = 5;

/** What keeps sealed checks from being run, whatever the agent does in the work tree. The codes are permanent. */
export const obstacles = {
  noEnvironment: () => ({
    code: 'ENVIRONMENT_MISSING',
    message: 'nothing was kept for the sealed checks before the loop began',
    fix: 'Resume with "--accept-gate", which takes a snapshot of the dependencies as they are now.',
  }),
  outsideChanged: (files: readonly string[]) => ({
    code: 'OUTSIDE_CHANGED',
    message: `the checks use files outside of the work tree that are not what they were when the loop began: ${listed(files)}`,
    fix: 'Look at them; if they are right, resume with "--accept-gate".',
  }),
  dependenciesChanged: (files: readonly string[]) => ({
    code: 'DEPENDENCIES_CHANGED',
    message: `the dependencies changed (${listed(files)}), and nobody knows how to install them for the sealed checks`,
    fix: 'Begin again with the setting "setup", such as "setup: npm ci".',
  }),
} as const satisfies Record<string, (...details: never[]) => Obstacle>;

/** The first of many names, and how many more there are. */
export function listed(names: readonly string[]): string {
  const rest = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

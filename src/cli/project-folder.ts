import { findProject } from '../app/index.ts';
import type { Invocation } from './parse.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * The folder of the project that a command is about. A loop starts, and a project is set up, where the user stands; other
 * commands work from any folder below the project, unless the user says where the state or the settings are.
 */
export function projectFolder({ command, options }: Invocation, { cwd, env }: Surroundings): string {
  const isSaid = options['state-dir'] !== undefined || options['config'] !== undefined;
  return ['run', 'init'].includes(command.name) || isSaid ? cwd : findProject(cwd, env);
}

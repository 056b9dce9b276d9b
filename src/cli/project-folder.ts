import { findProject } from '../app/index.ts';
import type { Invocation } from './parse.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * The project folder of a command. A loop starts, and a project is set up, in the current folder; other commands work from
 * any folder below the project, unless --state-dir or --config is given.
 */
export function projectFolder({ command, options, args }: Invocation, { cwd, env }: Surroundings): string {
  const isGiven = options['state-dir'] !== undefined || options['config'] !== undefined;
  const startsHere = ['run', 'init'].includes(command.name) || (command.name === 'hook' && args[0] === 'start');
  return startsHere || isGiven ? cwd : findProject(cwd, env);
}

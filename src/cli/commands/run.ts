import { startLoop } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { follow } from '../follow.ts';
import { tellProblems } from '../output/problems.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

/** `ralphd run`: starts a loop and stays with it. */
export async function runCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const [task] = args;
  if (task !== undefined && options['prompt'] !== undefined) {
    throw new LoopError(failures.conflictingOptions('the TASK argument', '--prompt'));
  }
  if (task !== undefined && options['prompt-file'] !== undefined) {
    throw new LoopError(failures.conflictingOptions('the TASK argument', '--prompt-file'));
  }
  if (options['detach'] !== undefined) throw new LoopError(failures.notAvailableYet('--detach'));
  const { config } = await settingsFor(invocation, surroundings, task === undefined ? {} : { prompt: task });
  using driven = await startLoop(config, appContext(surroundings), { force: options['force'] === true });
  using _problems = tellProblems(driven, surroundings);
  return await follow(driven, surroundings, { asJson: options['json'] === true });
}

import { findLoop, placeOf, type ResumeChanges, resumeLoop } from '../../app/index.ts';
import { follow } from '../follow.ts';
import { tellProblems } from '../output/problems.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

/** `ralphd resume`: becomes the new owner of a loop and goes on with it. */
export async function resumeCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { config, provenance } = await settingsFor(invocation, surroundings);
  const place = placeOf(config, surroundings.cwd);
  const { loop } = findLoop(place, invocation.args[0]);
  // Only what was given now changes the loop; its own configuration stands for the rest.
  const given = (name: keyof ResumeChanges) => (provenance[name]?.source === 'flag' ? { [name]: config[name] } : {});
  const changes = { ...given('maxIterations'), ...given('maxTime'), ...given('maxCostUsd'), ...given('maxTokens') };
  using driven = resumeLoop(loop.id, place, { context: appContext(surroundings), changes });
  using _problems = tellProblems(driven, surroundings);
  return await follow(driven, surroundings, { asJson: invocation.options['json'] === true });
}

import { type LoopPlace, openFleetCopy, placeOf } from '../app/index.ts';
import { loadPlaces } from '../config/index.ts';
import { configPlaces } from './config-places.ts';
import type { Invocation } from './parse.ts';
import { projectFolder } from './project-folder.ts';
import type { Surroundings } from './surroundings.ts';

/** The state folder that a command works on. */
export async function placeFor(invocation: Invocation, surroundings: Surroundings): Promise<LoopPlace> {
  const address = fleetAddressOf(invocation, surroundings);
  if (address !== undefined) return await copyOf(address, invocation, surroundings);
  return placeOf(await loadPlaces(configPlaces(invocation, surroundings)), projectFolder(invocation, surroundings));
}

/** The address of the fleet that a command is about; undefined if it is about loops of this machine. */
export function fleetAddressOf({ options, command }: Invocation, { db }: Surroundings): string | undefined {
  if (!command.options.some(({ name }) => name === 'db')) return undefined;
  const given = options['db'];
  return typeof given === 'string' ? given : db;
}

const followers: ReadonlySet<string> = new Set(['watch', 'serve']);

/** The loops of a fleet, up to date; for a command that follows them, they stay so. */
async function copyOf(address: string, invocation: Invocation, surroundings: Surroundings): Promise<LoopPlace> {
  const { cwd, env, closing } = surroundings;
  const copy = await openFleetCopy(address, { cwd, env });
  closing?.push(copy);
  const { name } = invocation.command;
  if (followers.has(name) || invocation.options['follow'] === true) {
    // The page shows all loops, whether or not they have started.
    if (name !== 'serve') {
      // Loaded for this alone: it finds loops with the schemas, which a look at loops does without.
      const { waitForStart } = await import('./wait-for-start.ts');
      await waitForStart(copy, invocation.args[0], surroundings);
    }
    copy.keepFresh();
  }
  return copy.place;
}

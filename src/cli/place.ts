import { type LoopPlace, placeOf } from '../app/index.ts';
import { loadPlaces } from '../config/index.ts';
import { configPlaces } from './config-places.ts';
import type { Invocation } from './parse.ts';
import { projectFolder } from './project-folder.ts';
import type { Surroundings } from './surroundings.ts';

/** The state folder that a command works on. */
export async function placeFor(invocation: Invocation, surroundings: Surroundings): Promise<LoopPlace> {
  return placeOf(await loadPlaces(configPlaces(invocation, surroundings)), projectFolder(invocation, surroundings));
}

import { defaultPlaces, type LoopConfig } from '../protocol/index.ts';
import { hasSettings } from './environment.ts';
import { findFiles } from './files.ts';
import type { ConfigPlaces } from './load.ts';

/**
 * Finds out where loops are. All of the configuration is judged as always, but the schema for that is loaded only when
 * there is something to judge: it takes longer than to look at a loop.
 */
export async function loadPlaces(places: ConfigPlaces): Promise<Pick<LoopConfig, 'workingDir' | 'stateDir'>> {
  if (!isAnythingSet(places)) return defaultPlaces;
  const { loadConfig } = await import('./load.ts');
  return (await loadConfig(places)).config;
}

function isAnythingSet(places: ConfigPlaces): boolean {
  if (Object.keys(places.flags ?? {}).length > 0 || hasSettings(places.env)) return true;
  const { project, user } = findFiles(places);
  return project !== undefined || user !== undefined;
}

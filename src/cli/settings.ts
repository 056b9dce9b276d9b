import { type LoadedConfig, loadConfig } from '../config/index.ts';
import { configPlaces } from './config-places.ts';
import type { Invocation } from './parse.ts';
import type { Surroundings } from './surroundings.ts';

/** The configuration, merged from the command line, the environment and files. */
export async function settingsFor(
  invocation: Invocation,
  surroundings: Surroundings,
  more: Readonly<Record<string, unknown>> = {},
): Promise<LoadedConfig> {
  return await loadConfig(configPlaces(invocation, surroundings, more));
}

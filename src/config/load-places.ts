import { defaultPlaces, type LoopConfig, topSettings } from '../protocol/index.ts';
import { hasSettings } from './environment.ts';
import { findFiles, readText } from './files.ts';
import type { ConfigPlaces } from './load.ts';

/**
 * Finds out where loops are, for somebody who only looks. A configuration that may say something about that is judged
 * as always; one that clearly does not is left alone: to judge it takes longer than to look at a loop, and a bad value
 * elsewhere must not keep anybody from seeing what runs.
 */
export async function loadPlaces(places: ConfigPlaces): Promise<Pick<LoopConfig, 'workingDir' | 'stateDir'>> {
  if (!mayNamePlaces(places)) return defaultPlaces;
  const { loadConfig } = await import('./load.ts');
  return (await loadConfig(places)).config;
}

function mayNamePlaces(places: ConfigPlaces): boolean {
  if (Object.keys(places.flags ?? {}).length > 0 || hasSettings(places.env)) return true;
  const { project, user } = findFiles(places);
  return [project, user].some((file) => file !== undefined && !isElsewhere(readText(file, file)));
}

// A slip such as `stateDri` must be told too: it would hide every loop. A backslash could spell any name.
function isElsewhere(text: string): boolean {
  return !/stateDir|workingDir|\\/.test(text) && text.split(/\r?\n/).every(isInside);
}

/** Whether a line stands inside of a setting, is none, or begins one that we know. */
function isInside(line: string): boolean {
  const [, name] = /^([A-Za-z]+):(?:\s|$)/.exec(line) ?? [];
  return name === undefined ? /^(?:[ #]|- |$)/.test(line) : topSettings.has(name);
}

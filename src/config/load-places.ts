import { defaultPlaces, type LoopConfig, topSettings } from '../protocol/index.ts';
import { hasSettings } from './environment.ts';
import { findFiles, readText } from './files.ts';
import type { ConfigPlaces } from './load.ts';
import { readTopNames } from './yaml-file.ts';

/**
 * Finds where loops are stored, for a command that only shows them. A source that may set this is checked in full;
 * a mistake in any other must not prevent users from seeing their loops.
 */
export async function loadPlaces(places: ConfigPlaces): Promise<Pick<LoopConfig, 'workingDir' | 'stateDir'>> {
  if (!(await mayNamePlaces(places))) return defaultPlaces;
  const { loadConfig } = await import('./load.ts');
  return (await loadConfig(places)).config;
}

async function mayNamePlaces(places: ConfigPlaces): Promise<boolean> {
  if (Object.keys(places.flags ?? {}).length > 0 || hasSettings(places.env)) return true;
  const { project, user } = findFiles(places);
  for (const file of [project, user]) if (file !== undefined && (await fileMayNamePlaces(file))) return true;
  return false;
}

/** An unknown name may be a misspelled place, which would hide every loop. */
async function fileMayNamePlaces(file: string): Promise<boolean> {
  const text = readText(file, file);
  if (isPlainWithoutPlaces(text)) return false;
  const names = await readTopNames(text);
  if (names === undefined) return placeNames.some((name) => text.includes(name));
  return names.some((name) => placeNames.includes(name) || !topSettings.has(name));
}

/**
 * Whether a file sets no place, decided without a parser: it contains no name of one, and each line that is not
 * indented has a known setting, including the first, so that indented lines are not top-level settings.
 */
function isPlainWithoutPlaces(text: string): boolean {
  if (placeNames.some((name) => text.includes(name))) return false;
  const lines = text.split(/\r?\n/u).filter((line) => line !== '' && !line.startsWith('#'));
  const isSetting = (line: string) => topSettings.has(/^(\w+):(?: |$)/u.exec(line)?.[1] ?? '');
  return lines.every((line, index) => isSetting(line) || (index > 0 && /^ *- |^ /u.test(line)));
}

const placeNames: readonly string[] = Object.keys(defaultPlaces);

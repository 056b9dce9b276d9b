import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { upwards } from './tree.ts';

const mostScripts = 50;

/** A script, what npm runs around it, and the scripts that it runs in turn; nothing when there is none of that name. */
export function scriptTexts(
  manifest: string,
  script: string,
  scriptsIn: (script: string) => readonly string[],
): readonly (readonly [string, string])[] | undefined {
  const scripts = scriptsOf(manifest);
  if (scripts.get(script) === undefined) return undefined;
  const wanted = [script];
  for (const name of wanted) {
    const around = [`pre${name}`, `post${name}`, ...scriptsIn(scripts.get(name) ?? '')];
    wanted.push(...around.filter((each) => scripts.has(each) && !wanted.includes(each)));
    if (wanted.length > mostScripts) break;
  }
  return wanted.sort().map((name) => [name, scripts.get(name) ?? '']);
}

function scriptsOf(manifest: string): ReadonlyMap<string, string> {
  try {
    const document = JSON.parse(readSmallFile(toRaw(manifest))?.toString('utf8') ?? '') as {
      readonly scripts?: object;
    };
    const scripts = Object.entries(document.scripts ?? {}) as readonly (readonly [string, unknown])[];
    return new Map(scripts.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}

/** The lines that a script of the package in a folder runs: its own, and those around it. */
export function linesOfScript(folder: string, name: string): readonly string[] {
  const scripts = scriptsOf(path.join(folder, 'package.json'));
  return [`pre${name}`, name, `post${name}`].map((each) => scripts.get(each)).filter((line) => line !== undefined);
}

/** The line of one script of the package in a folder. */
export function scriptLine(folder: string, name: string): string | undefined {
  return scriptsOf(path.join(folder, 'package.json')).get(name);
}

/** The folder whose package.json a package manager takes: the next one above, inside of the same tree. */
export function manifestFolder(workFolder: string, folder: string): string {
  const from = path.resolve(workFolder, folder);
  const found = upwards(workFolder, from).find((place) => existsSync(path.join(place, 'package.json')));
  return found === undefined || found === from ? folder : path.relative(workFolder, found);
}

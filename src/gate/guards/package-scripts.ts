import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { parentsInTree } from './tree.ts';

const maxScripts = 50;

/** A script, its `pre` and `post` scripts, and the scripts that these run; undefined when there is no such script. */
export function scriptTexts(
  manifest: string,
  script: string,
  nestedScripts: (script: string) => readonly string[],
): readonly (readonly [string, string])[] | undefined {
  const scripts = scriptsOf(manifest);
  if (scripts.get(script) === undefined) return undefined;
  const wanted = [script];
  for (const name of wanted) {
    const called = [`pre${name}`, `post${name}`, ...nestedScripts(scripts.get(name) ?? '')];
    wanted.push(...called.filter((each) => scripts.has(each) && !wanted.includes(each)));
    if (wanted.length > maxScripts) break;
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

/** The lines of a package script and of its `pre` and `post` scripts. */
export function linesOfScript(folder: string, name: string): readonly string[] {
  const scripts = scriptsOf(path.join(folder, 'package.json'));
  return [`pre${name}`, name, `post${name}`].map((each) => scripts.get(each)).filter((line) => line !== undefined);
}

/** The line of one package script. */
export function scriptLine(folder: string, name: string): string | undefined {
  return scriptsOf(path.join(folder, 'package.json')).get(name);
}

/** The folder whose package.json a package manager uses: the nearest one at or above, inside the same tree. */
export function manifestFolder(workFolder: string, folder: string): string {
  const from = path.resolve(workFolder, folder);
  const found = parentsInTree(workFolder, from).find((place) => existsSync(path.join(place, 'package.json')));
  return found === undefined || found === from ? folder : path.relative(workFolder, found);
}

/** The lines of the package script that a test command runs, with its `pre` and `post` scripts. */
export function packageScript(folder: string, command: string): string | undefined {
  const name = /^(?:npm|pnpm|yarn|bun)(?: run)? ([\w:.-]+)/u.exec(command)?.[1];
  const lines = name === undefined ? [] : linesOfScript(folder, name);
  return lines.length === 0 ? undefined : lines.join(' && ');
}

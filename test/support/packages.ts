import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const modules = path.resolve(import.meta.dirname, '../../node_modules');

/** A shell program that copies packages of the repository and their dependencies into a project's node_modules. */
export function copyPackages(...names: readonly string[]): string {
  const copies = neededBy(names).map(
    (name) => `mkdir -p 'node_modules/${path.dirname(name)}'; cp -a '${modules}/${name}' 'node_modules/${name}'`,
  );
  return ['mkdir -p node_modules/.bin', ...copies].join('\n');
}

/** A shell program that links the same packages to the repository's files: fast, but they must not be edited. */
export function linkPackages(...names: readonly string[]): string {
  const links = neededBy(names).map(
    (name) => `mkdir -p 'node_modules/${path.dirname(name)}'; cp -as '${modules}/${name}' 'node_modules/${name}'`,
  );
  return ['mkdir -p node_modules/.bin', ...links].join('\n');
}

function neededBy(names: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const name of names) addNeeded(name, found);
  return [...found];
}

function addNeeded(name: string, found: Set<string>): void {
  const manifest = path.join(modules, name, 'package.json');
  if (found.has(name) || !existsSync(manifest)) return;
  found.add(name);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly dependencies?: Record<string, string>;
    readonly optionalDependencies?: Record<string, string>;
  };
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) addNeeded(needed, found);
}

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/*
 * Prints the packages of the repository's own node_modules that the given ones need, themselves included, one a line.
 */
const modules = path.resolve(import.meta.dirname, '../../node_modules');
const found = new Set<string>();

function add(name: string): void {
  const manifest = path.join(modules, name, 'package.json');
  if (found.has(name) || !existsSync(manifest)) return;
  found.add(name);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly dependencies?: Record<string, string>;
    readonly optionalDependencies?: Record<string, string>;
  };
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) add(needed);
}

for (const name of process.argv.slice(2)) add(name);
console.log([...found].join('\n'));

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { plantIn } from '../support/plant-in.ts';
import { runnerMutants } from './runner-mutants.ts';
import type { simulateLoop } from './simulate.ts';

const here = import.meta.dirname;
const runner = path.resolve(here, '../../src/runner');
const copied = [here, runner].map((folder) => `${folder}${path.sep}`);
const marker = /\?mutant=(\d+)$/u;

/** The bugs planted so far. A bug stays out if nothing loads its module. */
const planted = new Set<number>();

/**
 * Loads a copy of the simulation and the runner for each planted bug, next to the real ones: whatever such a copy
 * imports from these two folders is a copy too.
 */
export async function simulateWith(index: number): Promise<typeof simulateLoop> {
  const url = `${pathToFileURL(path.join(here, 'simulate.ts')).href}?mutant=${index}`;
  const simulation = (await import(url)) as { readonly simulateLoop: typeof simulateLoop };
  if (!planted.has(index)) throw new Error(`Nothing loads the file of the bug "${runnerMutants[index]?.bug}".`);
  return simulation.simulateLoop;
}

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const mutant = marker.exec(context.parentURL ?? '')?.[0];
    const isCopied =
      found.url.startsWith('file:') && copied.some((folder) => fileURLToPath(found.url).startsWith(folder));
    return mutant === undefined || !isCopied ? found : { ...found, url: `${found.url.split('?')[0]}${mutant}` };
  },
  load(url, context, next) {
    const index = marker.exec(url)?.[1];
    if (index === undefined) return next(url, context);
    const file = fileURLToPath(url.replace(marker, ''));
    const source = plant(Number(index), file, readFileSync(file, 'utf8'));
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

function plant(index: number, file: string, source: string): string {
  const mutant = runnerMutants[index];
  if (mutant === undefined || file !== path.join(runner, mutant.file)) return source;
  planted.add(index);
  return plantIn(source, mutant);
}

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Program, versionOf } from './programs/program.ts';

/** Installs the agents exactly as locked, unless already installed; runs none of their install scripts. */
export function installAgents(programs: readonly Program[]): void {
  const wanted = dependenciesOf(path.join(import.meta.dirname, 'package.json'));
  if (programs.every((program) => isThere(program, wanted))) {
    console.log('The agents are installed.');
    return;
  }
  console.log('Installing the agents in test/agents: npm ci --ignore-scripts (about 1.1 GB) …');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: import.meta.dirname, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm ci failed with exit code ${status}.`);
}

function isThere(program: Program, wanted: Readonly<Record<string, string>>): boolean {
  try {
    return versionOf(program) === wanted[program.package] && existsSync(program.binary());
  } catch {
    return false;
  }
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

function dependenciesOf(file: string): Readonly<Record<string, string>> {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  return { ...dependencies, ...optionalDependencies };
}

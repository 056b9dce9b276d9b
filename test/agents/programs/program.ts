import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AgentAdapter } from '../../../src/agents/index.ts';

/** Where one run of an agent takes place; shared with no other run. */
export interface Surroundings {
  readonly home: string;
  /** The address of the model for this run. */
  readonly provider: string;
}

/** What a case requires of an agent beyond the defaults. */
export interface Wanted {
  /** The agent's own limit on its turns. */
  readonly turns?: number;
  /** Signs in with a plan, whose usage limit resets, instead of an API key. */
  readonly plan?: boolean;
}

/** How to start an agent for a case. */
export interface Equipment {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** Files in the home folder, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** How the agents differ. */
export interface Traits {
  /** It enforces its own limit on turns. */
  readonly limitsTurns?: boolean;
  /** Its provider has a daily quota and does not report when it resets. */
  readonly hasDailyQuota?: boolean;
  /** A denied tool ends its run; other agents tell the model and continue. */
  readonly stopsWhenDenied?: boolean;
  /** It uses CPU time even while it waits. */
  readonly isRestless?: boolean;
}

/** A real agent program, as installed here. */
export interface Program {
  readonly adapter: AgentAdapter;
  /** Its product name. */
  readonly title: string;
  /** The package that determines its version. */
  readonly package: string;
  readonly traits: Traits;
  /** The file to start; never a program found on the PATH. */
  binary(): string;
  equip(surroundings: Surroundings, wanted: Wanted): Equipment;
}

const here = path.dirname(import.meta.dirname);
const require = createRequire(path.join(here, 'package.json'));

export function areInstalled(): boolean {
  return existsSync(path.join(here, 'node_modules'));
}

/** A file of an installed package. Its entry in `.bin` only prints an error when install scripts are off. */
export function fileOf(packageName: string, file: string): string {
  return path.join(path.dirname(require.resolve(`${packageName}/package.json`)), file);
}

/** The platform suffix of npm package names. */
export const platform = `${process.platform}-${process.arch}`;

/** The installed version. */
export function versionOf({ package: name }: Program): string {
  return (JSON.parse(readFileSync(fileOf(name, 'package.json'), 'utf8')) as { version: string }).version;
}

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AgentAdapter } from '../../../src/agents/index.ts';

/** Where one run of an agent takes place; nothing in here is shared with another run. */
export interface Surroundings {
  readonly home: string;
  /** The address of the model for this run. */
  readonly provider: string;
}

/** What a case asks of an agent beyond the usual. */
export interface Wanted {
  /** A limit of the agent's own on its turns. */
  readonly turns?: number;
  /** Signed in with a plan, where usage is limited and resets, and not with a key. */
  readonly plan?: boolean;
}

/** How an agent has to be started for a case. */
export interface Equipment {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** Files below the home folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** In what the agents differ by nature. */
export interface Traits {
  /** It has a limit on its turns that it keeps by itself. */
  readonly limitsTurns?: boolean;
  /** Its provider has a quota for each day and does not say when the day is over. */
  readonly hasDailyQuota?: boolean;
  /** A denied tool ends its run, where others tell the model and go on. */
  readonly stopsWhenDenied?: boolean;
  /** It uses the processor all the time, also while it waits. */
  readonly isRestless?: boolean;
}

/** A real agent program, as it is installed here. */
export interface Program {
  readonly adapter: AgentAdapter;
  /** What it calls itself. */
  readonly title: string;
  /** The package whose version counts. */
  readonly package: string;
  readonly traits: Traits;
  /** The file to start; never a program that happens to be on the PATH. */
  binary(): string;
  equip(surroundings: Surroundings, wanted: Wanted): Equipment;
}

const here = path.dirname(import.meta.dirname);
const require = createRequire(path.join(here, 'package.json'));

/** Whether the agents are installed at all. */
export function areInstalled(): boolean {
  return existsSync(path.join(here, 'node_modules'));
}

/** A file of an installed package. Its entry in `.bin` only prints an error when install scripts are off. */
export function fileOf(packageName: string, file: string): string {
  return path.join(path.dirname(require.resolve(`${packageName}/package.json`)), file);
}

/** The name that npm gives to packages for one platform. */
export const platform = `${process.platform}-${process.arch}`;

/** The version that is installed. */
export function versionOf({ package: name }: Program): string {
  return (JSON.parse(readFileSync(fileOf(name, 'package.json'), 'utf8')) as { version: string }).version;
}

import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { homeBeside } from './ralphd-process.ts';

/** The intensity of a storm, and its folder. */
export interface StormOptions {
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
  /** The sandbox of its agents; left out, they have none. */
  readonly sandbox?: 'on' | 'strict' | undefined;
  readonly note?: (line: string) => void;
}

/** The result of a storm. */
export interface Aftermath {
  /** How often each kind of event happened. */
  readonly table: Readonly<Record<string, number>>;
  /** The rest of the result in one line. */
  readonly summary: string;
  readonly violations: readonly string[];
}

/** A folder for a loop that keeps running, whatever its agent does, until the file `calm` exists. */
export async function layOutStorm(folder: string, agent: string, sandbox = 'off'): Promise<void> {
  const config = `verify: ["test -f calm"]
completionPromise: null
maxIterations: 0
maxTime: 2h
iterationDelay: 0s
sandbox: ${sandbox}
stopConditions: { maxNoProgressIterations: 0, maxIterationFailureStreak: 0, maxSameErrorStreak: 0 }
`;
  if (sandbox !== 'off') await mkdir(homeBeside(folder));
  await writeFile(path.join(folder, 'agent.sh'), agent);
  await chmod(path.join(folder, 'agent.sh'), 0o755);
  await writeFile(path.join(folder, 'ralphd.yml'), config);
}

/** The arguments that start the loop of a storm. */
export const stormArgs = ['run', 'Weather the storm', '--agent-command', './agent.sh', '--json'];

/** Runs one storm with the options from the command line (`--kills 200 --seed 7`) and prints the result. */
export async function runStorm(defaultKills: number, storm: (options: StormOptions) => Promise<Aftermath>) {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: String(defaultKills) },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      sandbox: { type: 'string', default: 'off' },
    },
  });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-storm-'));
  console.log(`seed ${values.seed}, ${values.kills} kills`);
  const { table, summary, violations } = await storm({
    folder,
    kills: Number(values.kills),
    seed: Number(values.seed),
    ...(values.sandbox === 'on' || values.sandbox === 'strict' ? { sandbox: values.sandbox } : {}),
  });
  console.table(table);
  console.log(summary);
  for (const violation of violations) console.log(`broken: ${violation}`);
  console.log(`${violations.length} violations`);
  await rm(homeBeside(folder), { recursive: true, force: true });
  if (violations.length === 0) await rm(folder, { recursive: true, force: true });
  else console.log(`the loop is left in ${folder}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Contestant, gapsIn, notingAgent } from './contestant.ts';

/** What one contestant needed for a number of iterations. */
export interface Race {
  /** The median time between two agents. */
  readonly gapMs: number;
  /** Processor time of the runner and of all its children for each iteration. */
  readonly cpuMs: number;
}

/** How a contestant is run. */
export interface Course {
  readonly iterations: number;
  /** How long each agent takes; left out, it ends at once and notes nothing. */
  readonly agentMs?: number;
  /** Puts into the folder what is there before the first agent. */
  readonly furnish?: (folder: string, env: NodeJS.ProcessEnv) => void;
}

const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-race-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

let count = 0;

/** A folder of its own, until this program ends. */
export function newFolder(): string {
  const folder = path.join(scratch, `${(count += 1)}`);
  mkdirSync(folder);
  return folder;
}

/** Runs a contestant, with an agent that notes when it began and ended. */
export async function race(contestant: Contestant, course: Course): Promise<Race> {
  const place = newFolder();
  const [folder, log, usage] = [path.join(place, 'project'), path.join(place, 'agents'), path.join(place, 'usage')];
  const env = { PATH: process.env['PATH'], HOME: path.join(place, 'home'), USAGE_FILE: usage };
  mkdirSync(folder, { recursive: true });
  course.furnish?.(folder, env);
  const { iterations, agentMs } = course;
  const agent = agentMs === undefined ? (['true'] as const) : notingAgent(log, agentMs);
  const [file, ...args] = contestant.prepare({ folder, agent, iterations });
  const recorder = path.join(import.meta.dirname, 'programs/record-usage.ts');
  const words = file === process.execPath ? ['--import', recorder, ...args] : args;
  await once(spawn(file, words, { cwd: folder, env, stdio: 'ignore' }), 'exit');
  const cpuMs = Number(readFileSync(usage, 'utf8')) / iterations;
  const gaps = agentMs === undefined ? [] : gapsIn(readFileSync(log, 'utf8')).map(({ from, to }) => to - from);
  rmSync(place, { recursive: true, force: true });
  return { gapMs: median(gaps), cpuMs };
}

/** The middle one. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

import { expect } from 'vitest';
import { type Ended, endLine, factsOf, type Running } from '../support/project.ts';
import type { Trial } from './trial.ts';

/** What the journal records about one run of an agent. */
export interface AgentFinished {
  readonly iteration: number;
  readonly outcome: string;
  readonly ending: { readonly kind: string; readonly by?: string };
  readonly claimed: boolean;
  readonly sessionId?: string;
  readonly resetAt?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
}

/** Every run of the agent so far. */
export function runsOf(trial: Trial): readonly AgentFinished[] {
  return factsOf(trial, 'agent.finished') as unknown as readonly AgentFinished[];
}

export function onlyRun(trial: Trial): AgentFinished {
  const [run, ...more] = runsOf(trial);
  if (run === undefined || more.length > 0) throw new Error(`expected one run, not ${more.length + (run ? 1 : 0)}`);
  return run;
}

/** Runs a loop to its end and expects that no process is left. */
export async function runLoop(trial: Trial): Promise<Ended> {
  return await endedClean(trial, trial.start(['run', '--json']));
}

/** Runs a loop until it records a fact of this type, then interrupts it. */
export async function runUntil(trial: Trial, fact: string): Promise<Ended> {
  const running = trial.start(['run', '--json']);
  await expect.poll(() => running.output().stdout, patiently).toContain(`"type":"${fact}"`);
  running.signal('SIGTERM');
  return await endedClean(trial, running);
}

/** Waits for a command to end and expects that it left no processes. */
export async function endedClean(trial: Trial, running: Running): Promise<Ended> {
  const ended = await running.ended;
  expect(trial.processes(), 'processes left').toEqual([]);
  return ended;
}

/** Enough for the slowest agent on a busy machine; polling stops as soon as the condition holds. */
export const patiently = { interval: 50, timeout: 240_000 };

/** Checks the last line of `run --json`. */
export function expectEnd(ended: Ended, wanted: Readonly<Record<string, unknown>>): void {
  expect(endLine(ended), ended.stderr).toMatchObject(wanted);
}

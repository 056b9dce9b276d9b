import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRandom } from '../simulation/random.ts';
import { callRalphd, ended, linesOf, startRalphd } from '../support/ralphd-process.ts';
import { layOutStorm, stormArgs } from '../support/storms.ts';
import type { Printed } from '../support/whole-journal.ts';
import { compareWriters } from './writers-oracle.ts';

/** Where the storm runs, how long, and with which seed. */
export interface WritersOptions {
  readonly folder: string;
  /** How many times a process tries to become the owner. */
  readonly attempts: number;
  readonly seed: number;
}

export interface WritersReport {
  /** How often each command ended with each exit code. */
  readonly calls: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly owners: number;
  readonly refusedOwners: number;
  readonly violations: readonly string[];
}

/** The facts that one process printed, and so acknowledged, while it owned the loop. */
export type Reign = readonly { readonly seq: number; readonly type: string }[];

/** A command with its name and arguments. */
type Visit = readonly [name: string, args: readonly string[]];

// Allowed exit codes while other processes use the same loop: done, paused, owned by another process, too late.
const owning: readonly number[] = [0, 5, 6, 64];
const allowed: Readonly<Record<string, readonly number[]>> = {
  run: owning,
  resume: owning,
  'run again': [6, 64],
  // Pausing a loop that no process runs takes ownership briefly, and another process may be first.
  pause: [0, 6, 64],
  status: [0],
  backup: [0],
  gc: [0],
  doctor: [0],
};

const agent = `#!/bin/sh
cat > /dev/null
echo "start $$" >> agents.log
echo "end $$" >> agents.log
`;

/**
 * Runs many processes on one loop at the same time: runners that take it over from each other, and commands that pause,
 * back up, clean up and inspect it, until there were enough attempts to own it.
 */
export async function letWriters({ folder, attempts, seed }: WritersOptions): Promise<WritersReport> {
  const crowd = new Crowd(folder, attempts);
  await layOutStorm(folder, agent);
  const loopId = await crowd.begin();
  const random = createRandom(seed);
  const visits: readonly [Visit, ...Visit[]] = [
    ['pause', ['pause', loopId, '--json']],
    ['status', ['status', loopId, '--json']],
    ['backup', ['backup', loopId, '--json']],
    ['gc', ['gc', '--json']],
    ['doctor', ['doctor', '--json']],
    ['run again', [...stormArgs, '--loop-id', loopId]],
  ];
  await Promise.all([
    crowd.drive(loopId),
    crowd.drive(loopId),
    ...[0, 1].map(() => crowd.visit(() => random.pick(visits))),
  ]);
  const seen = { folder, loopId, reigns: crowd.reigns };
  return crowd.report(await compareWriters(seen));
}

/** Starts processes and records the results. */
class Crowd {
  readonly reigns: Reign[] = [];
  readonly #folder: string;
  readonly #attempts: number;
  readonly #calls: Record<string, number> = {};
  readonly #violations: string[] = [];
  #tried = 0;
  #isOver = false;

  constructor(folder: string, attempts: number) {
    this.#folder = folder;
    this.#attempts = attempts;
  }

  /** Starts the loop and keeps driving it in the background. */
  async begin(): Promise<string> {
    const started = Promise.withResolvers<string>();
    this.#own('run', stormArgs, started.resolve).then(
      () => started.reject(new Error('The loop never started.')),
      started.reject,
    );
    return await started.promise;
  }

  /** Repeatedly tries to become the owner, until a process completes the loop. */
  async drive(loopId: string): Promise<void> {
    while (!this.#isOver) {
      this.#tried += 1;
      if (this.#tried === this.#attempts) await writeFile(path.join(this.#folder, 'calm'), '');
      await this.#own('resume', ['resume', loopId, '--json']);
    }
  }

  /** Repeatedly runs other commands; towards the end, none of them pauses the loop. */
  async visit(next: () => Visit): Promise<void> {
    while (this.#tried < this.#attempts) {
      const [name, args] = next();
      const { code, stdout } = await callRalphd(this.#folder, args);
      this.#count(name, code, stdout);
    }
  }

  report(found: readonly string[]): WritersReport {
    return {
      calls: this.#calls,
      acknowledged: this.reigns.reduce((sum, reign) => sum + reign.length, 0),
      owners: this.reigns.length,
      refusedOwners: this.#calls['resume: 6'] ?? 0,
      violations: [...this.#violations, ...found],
    };
  }

  async #own(name: string, args: readonly string[], onLoop: (loopId: string) => void = () => {}): Promise<void> {
    const child = startRalphd(this.#folder, args);
    const reign: { seq: number; type: string }[] = [];
    let last = '';
    for await (const line of linesOf(child)) {
      const { seq, type, loopId } = JSON.parse(line) as Printed;
      if (seq !== undefined) reign.push({ seq, type });
      if (loopId !== undefined) onLoop(loopId);
      last = line;
    }
    if (reign.length > 0) this.reigns.push(reign);
    const code = (await ended(child)) ?? -1;
    this.#count(name, code, last);
    // A resume that only cancels a pause leaves the loop to its owner and also exits with 0.
    if (code === 0 && isEnd(last)) this.#isOver = true;
  }

  #count(name: string, code: number, output: string): void {
    const key = `${name}: ${code}`;
    this.#calls[key] = (this.#calls[key] ?? 0) + 1;
    if (allowed[name]?.includes(code) !== true) this.#violations.push(`${name} ended with ${code}: ${output.trim()}`);
  }
}

function isEnd(line: string): boolean {
  return (JSON.parse(line) as Printed).type === 'loop.ended';
}

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { grantAny, realPath } from '../../src/app/index.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { callRalphd } from '../support/ralphd-process.ts';
import { layOutStorm, stormArgs } from '../support/storms.ts';
import type { Printed } from '../support/whole-journal.ts';
import { judgeCommands, type SentCommand } from './commands-oracle.ts';

/** How many loops run in parallel, and how many commands are sent to them. */
export interface CommandStormOptions {
  readonly folder: string;
  readonly loops: number;
  readonly commands: number;
  /** How many processes send commands at the same time. */
  readonly senders: number;
  readonly seed: number;
}

/** The result of a storm of commands. */
export interface CommandStormReport {
  /** How often each command ended with each exit code. */
  readonly calls: Readonly<Record<string, number>>;
  /** The duration of a call, from the start of its process to its exit. */
  readonly medianMs: number;
  readonly slowestMs: number;
  readonly violations: readonly string[];
}

/**
 * With many loops the agents are slow, so that the commands, not the agents, keep the machine busy. Each run changes a
 * file, because a loop without any work never completes.
 */
const agentFor = (loops: number) => `#!/bin/sh
cat > /dev/null
sleep ${loops / 10}
echo more >> "work-$RALPHD_LOOP_ID"
`;

type Order = readonly [weight: number, name: string, args: (text: string) => readonly string[]];

const orders: readonly Order[] = [
  [4, 'guide', (text) => [text]],
  [3, 'guide', (text) => ['--once', text]],
  [1, 'guide', () => ['--drop', '1']],
  [2, 'pause', () => []],
  [2, 'pause', () => ['--now']],
  [2, 'skip', () => []],
  [1, 'reboot', () => []],
  [1, 'retry', () => []],
];

/**
 * Runs loops in parallel and sends them commands from several processes; once all commands are sent, lets the loops
 * finish.
 */
export async function stormWithCommands(options: CommandStormOptions): Promise<CommandStormReport> {
  const { folder, loops, commands, senders, seed } = options;
  const loopIds = Array.from({ length: loops }, (_, index) => `ralph-storm-${String(index).padStart(8, '0')}`);
  // A separate work tree for each: ralphd refuses to run two loops in one.
  for (const loopId of loopIds) {
    await mkdir(path.join(folder, loopId));
    await layOutStorm(path.join(folder, loopId), agentFor(loops));
  }
  // The senders have a home of their own, and so a memory of their own of what is trusted.
  grantAny(realPath(folder), { HOME: folder });
  const random = createRandom(seed);
  const storm = new CommandStorm(folder, commands);
  const driving = Promise.all(loopIds.map((loopId) => storm.drive(loopId)));
  await storm.waitForLoops(loops);
  await Promise.all(Array.from({ length: senders }, () => storm.send(loopIds, random)));
  for (const loopId of loopIds) await writeFile(path.join(folder, loopId, 'calm'), '');
  await driving;
  return storm.report(await judgeCommands({ folder, loopIds, sent: storm.sent }));
}

function lastLine(stdout: string): Printed {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}') as Printed;
}

/** Starts processes and records the results. */
class CommandStorm {
  readonly sent: SentCommand[] = [];
  readonly #folder: string;
  readonly #commands: number;
  readonly #violations: string[] = [];
  readonly #calls: Record<string, number> = {};
  readonly #durations: number[] = [];
  #given = 0;

  constructor(folder: string, commands: number) {
    this.#folder = folder;
    this.#commands = commands;
  }

  /** Drives a loop to its end: resumes it whenever it pauses. */
  async drive(loopId: string): Promise<void> {
    const state = path.join(this.#folder, '.ralph');
    const options = ['--loop-id', loopId, '--state-dir', state, '--force', '--delay', '200ms'];
    let args: readonly string[] = [...stormArgs, ...options];
    for (;;) {
      const { code, stdout } = await callRalphd(path.join(this.#folder, loopId), args);
      if (code === 0 && lastLine(stdout).type === 'loop.ended') return;
      if (stdout.includes('"TOO_MANY_LOOPS"')) {
        // The limit on running loops also applies to a resume; wait until enough others have paused or ended.
        await setTimeout(100);
        continue;
      }
      // Paused by a sender, owned briefly by a command, or a pause was cancelled.
      if (code !== 5 && code !== 6 && code !== 0) {
        this.#violations.push(`the owner of ${loopId} ended with ${code}: ${stdout.slice(-300)}`);
        return;
      }
      // When many loops start at once, the registry may be busy; then nothing has started.
      if (stdout.includes('"loop.started"')) args = ['resume', loopId, '--state-dir', state, '--json'];
    }
  }

  async waitForLoops(count: number): Promise<void> {
    while (this.#violations.length === 0) {
      const { stdout } = await callRalphd(this.#folder, ['ls', '--json']);
      const { loops } = JSON.parse(stdout) as { readonly loops: readonly unknown[] };
      if (loops.length === count) return;
    }
  }

  /** Sends one command after another, each from a separate process. */
  async send(loopIds: readonly string[], random: Random): Promise<void> {
    while (this.#given < this.#commands) {
      this.#given += 1;
      const loopId = loopIds[random.int(0, loopIds.length - 1)] ?? '';
      const text = `hint ${this.#given} for ${loopId}`;
      const [name, args] = random.weighted(orders.map(([weight, ...order]) => [order, weight] as const));
      const given = args(text);
      const startedMs = performance.now();
      const { code, stdout } = await callRalphd(this.#folder, [name, loopId, ...given, '--json']);
      this.#durations.push(performance.now() - startedMs);
      const key = `${name}: ${code}`;
      this.#calls[key] = (this.#calls[key] ?? 0) + 1;
      // On a slow machine the owner may answer late; its answer is still recorded.
      const isKept = stdout.includes('"COMMAND_UNANSWERED"');
      if (code !== 0 && code !== 64 && !isKept)
        this.#violations.push(`${name} to ${loopId} ended with ${code}: ${stdout.trim()}`);
      const command = given[0] === '--drop' ? 'drop' : name;
      this.sent.push({
        loopId,
        command,
        answer: isKept ? 'none' : code === 0 ? 'accepted' : 'refused',
        ...(given.includes(text) ? { text } : {}),
      });
    }
  }

  report(found: readonly string[]): CommandStormReport {
    const sorted = this.#durations.toSorted((one, other) => one - other);
    return {
      calls: this.#calls,
      medianMs: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
      slowestMs: Math.round(sorted.at(-1) ?? 0),
      violations: [...this.#violations, ...found],
    };
  }
}

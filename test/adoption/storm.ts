import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom, type Random } from '../simulation/random.ts';
import { processesAround } from '../support/processes.ts';
import { callRalphd, ended, linesOf, startRalphd } from '../support/ralphd-process.ts';
import { layOutStorm, type StormOptions, stormArgs } from '../support/storms.ts';
import { Acknowledged, readWholeJournal } from '../support/whole-journal.ts';
import { type Judgement, judge } from './judge.ts';

/** The kinds of kills: when ralphd is killed, and what happens before the next one starts. */
const blows = ['at work', 'at work, resumed after its end', 'at work, keeper too', 'during adoption'] as const;
type Blow = (typeof blows)[number];

/** The result of a storm. */
export interface AdoptionReport extends Judgement {
  readonly blows: Readonly<Record<string, number>>;
  readonly acknowledged: number;
}

/**
 * Kills ralphd in the middle of an iteration repeatedly, and lets the next one take over. At the end, compares the
 * agents' own log with the journal.
 */
export async function adoptionStorm(options: StormOptions): Promise<AdoptionReport> {
  const { folder, kills, seed, sandbox, note = () => {} } = options;
  const random = createRandom(seed);
  await layOutStorm(folder, readFileSync(path.join(import.meta.dirname, 'agent.sh'), 'utf8'), sandbox);
  const scene = new Scene(folder);
  for (let kill = 1; kill <= kills; kill += 1) {
    // The first kills use each kind once, so that even a short storm covers them all.
    const blow = kill <= blows.length ? (blows[kill - 1] ?? 'at work') : random.pick([...blows, 'at work']);
    await scene.strike(blow, random);
    note(`kill ${kill}: ${blow}`);
  }
  writeFileSync(path.join(folder, 'calm'), '');
  await scene.finish();
  return await scene.judge();
}

/** Follows one loop through the storm. */
class Scene {
  readonly #folder: string;
  readonly #acknowledged = new Acknowledged();
  readonly #blows: Record<string, number> = {};
  readonly #struck = new Set<string>();
  readonly #violations: string[] = [];
  #loopId: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts ralphd, kills it in the middle of an iteration, and does what the kind of kill requires. */
  async strike(blow: Blow, random: Random): Promise<void> {
    this.#blows[blow] = (this.#blows[blow] ?? 0) + 1;
    const child = startRalphd(this.#folder, this.#args());
    const printed = this.#follow(child);
    if (blow !== 'during adoption') await this.#until(() => this.#atWork() !== undefined || child.exitCode !== null);
    await delay(random.int(0, blow === 'during adoption' ? 300 : 450));
    child.kill('SIGKILL');
    await Promise.all([ended(child), printed]);
    if (child.exitCode !== null) this.#violations.push(`ralphd ended by itself with ${child.exitCode}`);
    if (blow === 'at work, keeper too') this.#killKeeper();
    if (blow === 'at work, resumed after its end') await this.#until(() => this.#atWork() === undefined);
    await this.#look();
  }

  /** After the storm, the loop must complete and leave no processes behind. */
  async finish(): Promise<void> {
    const child = startRalphd(this.#folder, this.#args());
    await this.#follow(child);
    const code = await ended(child);
    if (code !== 0) this.#violations.push(`the last resume ended with ${code}`);
    await this.#until(() => processesAround(this.#folder).length === 0);
  }

  async judge(): Promise<AdoptionReport> {
    const entries = readWholeJournal(this.#folder, this.#id());
    const evidence = { loop: this.#loopFolder(), entries, log: this.#log(), struck: this.#struck };
    const { violations, ...judgement } = judge(evidence);
    return {
      ...judgement,
      blows: this.#blows,
      acknowledged: this.#acknowledged.count,
      violations: [...this.#violations, ...this.#acknowledged.lostFrom(entries), ...violations],
    };
  }

  #args(): readonly string[] {
    return this.#loopId === undefined ? stormArgs : ['resume', this.#loopId, '--json'];
  }

  async #follow(child: ReturnType<typeof startRalphd>): Promise<void> {
    for await (const line of linesOf(child)) {
      const { loopId } = this.#acknowledged.take(line);
      this.#loopId ??= loopId;
    }
  }

  /** The loop must be readable after a kill. */
  async #look(): Promise<void> {
    const { stdout, code } = await callRalphd(this.#folder, ['status', this.#id(), '--json']);
    if (code !== 0) this.#violations.push(`the loop cannot be loaded: ${stdout}`);
  }

  #killKeeper(): void {
    const key = this.#atWork();
    const [iteration = '', attempt] = key?.split('/') ?? [];
    const started = path.join(
      this.#loopFolder(),
      'iterations',
      iteration.padStart(3, '0'),
      `attempt-${attempt}`,
      'started',
    );
    if (key === undefined || !existsSync(started)) return;
    const [, pid] = /"pid": *(\d+)/.exec(readFileSync(started, 'utf8')) ?? [];
    this.#struck.add(key);
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // The run has just ended.
    }
  }

  /** The run that has started but not ended, if there is one. */
  #atWork(): string | undefined {
    const [word, key] = this.#log().at(-1)?.split(' ') ?? [];
    return word === 'start' && key !== undefined && !this.#struck.has(key) ? key : undefined;
  }

  #log(): readonly string[] {
    const file = path.join(this.#folder, 'log');
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  }

  async #until(condition: () => boolean): Promise<void> {
    const deadline = performance.now() + 240_000;
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`nothing happens any more in ${this.#folder}`);
      await delay(5);
    }
  }

  #id(): string {
    if (this.#loopId === undefined) throw new Error('No loop was ever started.');
    return this.#loopId;
  }

  #loopFolder(): string {
    return path.join(this.#folder, '.ralph/loops', this.#id());
  }
}

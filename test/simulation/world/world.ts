import { accountsForTime, idleLoop, type Loop, type LoopCommand } from '../../../src/core/index.ts';
import { configSchema, type Fact, type RecordedFact } from '../../../src/protocol/index.ts';
import { isLost } from '../lost-run.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { createRandom, mix, type Random } from '../random.ts';
import type { Rules } from '../rules.ts';
import type { Truth } from './script.ts';
import type { Setting } from './settings.ts';
import { checkFile } from './tampering.ts';
import { createUsers, type Users } from './users.ts';

/** Thrown through an owner that dies. One instance is enough: where it happened stands in the trace. */
export class OwnerDied extends Error {
  override readonly name = 'OwnerDied';
}

const death = new OwnerDied();
const idle = idleLoop(configSchema.parse({}));
const epochStartMs = Date.UTC(2026, 0, 1);

/** How a world differs from an undisturbed one. */
export interface WorldOptions {
  readonly seed: number;
  readonly rules: Rules;
  readonly setting: Setting;
  readonly oracle: Oracle;
  readonly crashes: boolean;
  /** Takes the lines of a readable account. */
  readonly note?: (line: string) => void;
}

/** Everything outside the rules: clocks, disk, processes and people, all driven by one seed. */
export class World {
  readonly seed: number;
  readonly rules: Rules;
  readonly setting: Setting;
  readonly users: Users;
  readonly clock: Random;
  readonly disk: RecordedFact[] = [];
  readonly agents = new Set<string>();
  readonly inbox: LoopCommand[] = [];
  /** Runs, gates and reboots that are on record, by iteration: the scripts go on from them. */
  readonly finishedRuns = new Map<number, number>();
  readonly finishedGates = new Map<number, number>();
  /** Steps of hooks, by iteration and point. */
  readonly finishedHooks = new Map<string, number>();
  finishedReboots = 0;
  finishedBaselines = 0;
  wallMs = epochStartMs;
  monotonicMs = 0;
  /** When running time was last accounted for; an owner that dies takes the rest with it. */
  accountedMs = 0;
  epoch = 0;
  loop: Loop = idle;
  /** The newest state on disk, some facts old. */
  snapshot: Loop = idle;
  /** Running time as somebody with a stopwatch beside the owner would measure it. */
  activeMs = 0;
  fixed: boolean;
  failing: number;
  /** How many files differ from when the loop began, and how many tests were written since. */
  changedFiles = 0;
  addedTests = 0;
  /** The file that the checks name, and what the user last said it should be. */
  check = checkFile;
  accepted = checkFile;
  crashCount = 0;
  /** The last fact that the latest decision knew of. A command that came later may be served later. */
  decidedSeq = 0;
  readonly #oracle: Oracle;
  readonly #fate: Random;
  readonly #note: ((line: string) => void) | undefined;
  #lives: number;

  constructor({ seed, rules, setting, oracle, crashes, note }: WorldOptions) {
    this.seed = seed;
    this.rules = rules;
    this.setting = setting;
    this.#oracle = oracle;
    this.#fate = createRandom(mix(seed, 3));
    this.#lives = crashes ? this.#fate.int(1, 5) : 0;
    this.clock = createRandom(mix(seed, 4));
    this.users = createUsers(createRandom(mix(seed, 5)), setting.users ? 10 : 0);
    this.#note = note;
    this.fixed = mix(seed, 6) % 5 === 0;
    this.failing = this.fixed ? 0 : 3;
  }

  get elapsedMs(): number {
    return this.#isActive() ? this.monotonicMs - this.accountedMs : 0;
  }

  /** Writes facts one by one. The owner may die after any of them: then only those before are durable. */
  append(...facts: readonly Fact[]): void {
    for (const fact of facts) {
      const recorded = {
        ...fact,
        seq: this.disk.length + 1,
        at: new Date(this.wallMs).toISOString(),
        epoch: this.epoch,
      } as RecordedFact;
      this.disk.push(recorded);
      const before = this.loop;
      this.loop = this.rules.evolve(before, recorded);
      if (recorded.seq % 8 === this.seed % 8) this.snapshot = this.loop;
      this.#remember(recorded);
      this.note(() => `${recorded.at} ${recorded.seq} ${recorded.type} ${JSON.stringify(recorded.data)}`);
      this.#oracle.observe({ fact: recorded, before, after: this.loop, world: this });
      // Right behind the rarer facts too, so that what follows from them is lost often enough.
      this.mayDie(fact.type === 'hooks.finished' || fact.type === 'baseline.finished' ? 0.4 : 0.06);
    }
  }

  /** Forgets all that is not on disk and goes on from the snapshot and the facts after it, as a new owner does. */
  takeOver(): void {
    this.epoch += 1;
    this.accountedMs = this.monotonicMs;
    this.loop = this.replay(this.snapshot);
  }

  /** The loop that the disk tells of, from a state at the start or on the way. */
  replay(from: Loop): Loop {
    return this.disk.slice(from.seq).reduce(this.rules.evolve, from);
  }

  mayDie(probability: number): void {
    if (this.#lives === 0 || !this.#fate.chance(probability)) return;
    this.#lives -= 1;
    this.crashCount += 1;
    this.note(() => `-- the owner of epoch ${this.epoch} dies`);
    // A reboot of the machine may take hours, and an orphan may end by itself in the meantime.
    this.pass(0, this.#fate.pick([0, 1_000, 7_200_000]));
    if (this.#fate.chance(0.3)) this.agents.clear();
    throw death;
  }

  /** Lets time pass; the second kind passes only on the wall, as when the machine is suspended. */
  pass(ms: number, suspendedMs = 0): void {
    this.wallMs += ms + suspendedMs;
    this.monotonicMs += ms;
    if (this.#isActive()) this.activeMs += ms;
  }

  /** Now and then somebody sets the clock, or closes the lid. */
  mayWarp(): void {
    if (!this.clock.chance(0.05)) return;
    this.pass(0, this.clock.pick([-86_400_000, -3_600_000, -5_000, 60_000, 9 * 3_600_000]));
  }

  startAgent(name: string): void {
    this.#oracle.agentStarts(this, name);
    this.agents.add(name);
  }

  /** The truth about a run that is about to be recorded, for the oracle alone. */
  confide(truth: Truth): void {
    this.#oracle.learn(truth);
  }

  note(line: () => string): void {
    if (this.#note !== undefined) this.#note(line());
  }

  #isActive(): boolean {
    return this.loop.status === 'running' || this.loop.status === 'completing';
  }

  #remember({ type, data }: RecordedFact): void {
    if (accountsForTime({ type, data } as Fact) || type === 'loop.resumed') this.accountedMs = this.monotonicMs;
    if (type === 'agent.finished' && !isLost(data)) bump(this.finishedRuns, data.iteration);
    if (type === 'hooks.finished') bump(this.finishedHooks, `${data.iteration} ${data.point}`);
    if (type === 'gate.finished') bump(this.finishedGates, data.iteration);
    if (type === 'reboot.finished') this.finishedReboots += 1;
    if (type === 'baseline.finished') this.finishedBaselines += 1;
  }
}

function bump<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

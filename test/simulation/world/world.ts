import { idleLoop, type Loop, type LoopCommand } from '../../../src/core/index.ts';
import { configSchema, type RecordedFact } from '../../../src/protocol/index.ts';
import type { Answer } from '../../../src/runner/index.ts';
import { createFakeClock, type FakeClock } from '../../../src/runner/testing/fake-clock.ts';
import { createMemoryAttemptFiles } from '../../../src/runner/testing/memory-attempt-files.ts';
import { MemoryLoops, type MemoryProcess } from '../../../src/runner/testing/memory-loops.ts';
import { isLost } from '../lost-run.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { createRandom, mix, type Random } from '../random.ts';
import type { Rules } from '../rules.ts';
import type { Truth } from './script.ts';
import type { Setting } from './settings.ts';
import { checkFile } from './tampering.ts';
import { createUsers, type Users } from './users.ts';

const idle = idleLoop(configSchema.parse({}));
const startMs = Date.UTC(2026, 0, 1);

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

/** Everything outside the runner: clocks, disk, processes and people, all driven by one seed. */
export class World {
  readonly seed: number;
  readonly rules: Rules;
  readonly setting: Setting;
  readonly users: Users;
  readonly oracle: Oracle;
  readonly clock: FakeClock;
  /** What happens by chance, whoever drives the loop. */
  readonly chance: Random;
  /** What happens to owners. */
  readonly fate: Random;
  readonly loopId: string;
  readonly loops: MemoryLoops;
  readonly files = createMemoryAttemptFiles();
  /** The process that people send their commands from. */
  readonly people: MemoryProcess;
  readonly agents = new Set<string>();
  /** The attempts before which the work tree was looked at. */
  readonly baselines = new Set<string>();
  /** Runs, gates and reboots that are on record, by iteration: the scripts go on from them. */
  readonly finishedRuns = new Map<number, number>();
  readonly finishedGates = new Map<number, number>();
  /** Steps of hooks, by iteration and point. */
  readonly finishedHooks = new Map<string, number>();
  finishedReboots = 0;
  finishedBaselines = 0;
  pauses = 0;
  /** The newest try to take a snapshot for sealed checks failed. */
  isUnprepared = false;
  /** The loop that the disk tells of. */
  loop: Loop = idle;
  /** How many facts there were when the disk ran full, as long as it is. */
  troubleSeq: number | undefined;
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
  steps = 0;
  lives: number;
  /** The last fact that the latest decision knew of. A command that came later may be served later. */
  decidedSeq = 0;
  /** What it will be once the facts of the decision under way are written. */
  #decidingSeq = 0;
  readonly #note: ((line: string) => void) | undefined;

  constructor({ seed, rules, setting, oracle, crashes, note }: WorldOptions) {
    this.seed = seed;
    this.rules = rules;
    this.setting = setting;
    this.oracle = oracle;
    this.fate = createRandom(mix(seed, 3));
    this.lives = crashes ? this.fate.int(1, 5) : 0;
    this.chance = createRandom(mix(seed, 4));
    this.users = createUsers(createRandom(mix(seed, 5)), setting.users ? 10 : 0);
    this.clock = createFakeClock(startMs, (ms) => this.#timePassed(ms));
    this.loopId = `ralph-simulated-${seed}`;
    this.loops = new MemoryLoops({ clock: this.clock, evolve: rules.evolve });
    this.people = this.loops.startProcess();
    this.#note = note;
    this.fixed = mix(seed, 6) % 5 === 0;
    this.failing = this.fixed ? 0 : 3;
  }

  get wallMs(): number {
    return this.clock.nowMs();
  }

  get monotonicMs(): number {
    return this.clock.monotonicMs();
  }

  get disk(): readonly RecordedFact[] {
    return this.loops.factsOf(this.loopId);
  }

  /** The newest state that an owner saved, some facts old. */
  get snapshot(): Loop {
    return this.loops.snapshotOf(this.loopId) ?? idle;
  }

  /** Lets the oracle look at facts that have just become durable. */
  noteFacts(): void {
    while (this.loop.journal.seq < this.disk.length) {
      const fact = this.disk[this.loop.journal.seq];
      if (fact === undefined) return;
      const before = this.loop;
      this.loop = this.rules.evolve(before, fact);
      this.#remember(fact);
      this.note(() => `${fact.at} ${fact.seq} ${fact.type} ${JSON.stringify(fact.data)}`);
      this.oracle.observe({ fact, before, after: this.loop, world: this });
      if (fact.seq === this.#decidingSeq) this.decidedSeq = fact.seq;
    }
  }

  /** People send commands, and remember what they are told. */
  send(commands: readonly LoopCommand[]): void {
    for (const command of commands) {
      this.note(() => `-- somebody sends ${command.id}: ${command.command}`);
      const judge = (answer: Answer) => this.oracle.answered(this, command, answer);
      // The oracle remembers what it finds.
      this.people.commands
        .send(this.loopId, command)
        .then(judge)
        .catch(() => {});
    }
  }

  /** Fills the disk, or makes room on it. */
  setTrouble(isFull: boolean): void {
    this.troubleSeq = isFull ? this.disk.length : undefined;
    this.note(() => (isFull ? '-- the disk is full' : '-- the disk has room'));
    this.loops.setTrouble(isFull ? { code: 'DISK_FULL', message: 'The disk is full. Free some space.' } : undefined);
  }

  /** A decision was made that knows of everything on disk and leads to so many facts. */
  decided(factCount: number): void {
    this.#decidingSeq = this.disk.length + factCount;
    if (factCount === 0) this.decidedSeq = this.#decidingSeq;
  }

  /** The loop that the disk tells of, from a state at the start or on the way. */
  replay(from: Loop): Loop {
    return this.disk.slice(from.journal.seq).reduce(this.rules.evolve, from);
  }

  /** Now and then somebody sets the clock, or closes the lid. */
  mayWarp(): void {
    if (!this.chance.chance(0.05)) return;
    this.clock.jump(this.chance.pick([-86_400_000, -3_600_000, -5_000, 60_000, 9 * 3_600_000]));
  }

  startAgent(name: string): void {
    this.oracle.agentStarts(this, name);
    this.agents.add(name);
  }

  /** The truth about a run that is about to be recorded, for the oracle alone. */
  confide(truth: Truth): void {
    this.oracle.learn(truth);
  }

  note(line: () => string): void {
    if (this.#note !== undefined) this.#note(line());
  }

  #timePassed(ms: number): void {
    if (this.loop.status === 'running' || this.loop.status === 'completing') this.activeMs += ms;
  }

  #remember({ type, data }: RecordedFact): void {
    if (type === 'agent.finished' && !isLost(data)) bump(this.finishedRuns, data.iteration);
    if (type === 'hooks.finished') bump(this.finishedHooks, `${data.iteration} ${data.point}`);
    if (type === 'gate.finished') bump(this.finishedGates, data.iteration);
    // Nobody but the user changes it between saying so and this.
    if (type === 'gate.accepted') this.accepted = this.check;
    if (type === 'reboot.finished') this.finishedReboots += 1;
    if (type === 'loop.paused') this.pauses += 1;
    if (type === 'baseline.finished') this.finishedBaselines += 1;
  }
}

function bump<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

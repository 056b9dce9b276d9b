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
  /** Receives the lines of a readable log. */
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
  /** Random events that do not depend on who drives the loop. */
  readonly chance: Random;
  /** Random events that affect owners. */
  readonly fate: Random;
  readonly loopId: string;
  readonly loops: MemoryLoops;
  readonly files = createMemoryAttemptFiles();
  /** The process from which people send commands. */
  readonly people: MemoryProcess;
  readonly agents = new Set<string>();
  /** The attempts for which the state of the work tree was captured first. */
  readonly baselines = new Set<string>();
  /** Recorded runs, gates and reboots by iteration; the scripts depend on these counts. */
  readonly finishedRuns = new Map<number, number>();
  readonly finishedGates = new Map<number, number>();
  /** Finished hook steps, by iteration and point. */
  readonly finishedHooks = new Map<string, number>();
  finishedReboots = 0;
  finishedBaselines = 0;
  pauses = 0;
  /** The latest attempt to take a snapshot for sealed checks failed. */
  isUnprepared = false;
  /** The loop as recorded on disk. */
  loop: Loop = idle;
  /** How many facts there were when the disk filled up; undefined while it has room. */
  troubleSeq: number | undefined;
  /** Running time as measured by a stopwatch outside the owner. */
  activeMs = 0;
  fixed: boolean;
  failing: number;
  /** How many files differ from the start of the loop, and how many tests were added since. */
  changedFiles = 0;
  addedTests = 0;
  /** The file that the checks run, and the version that the user accepted last. */
  check = checkFile;
  accepted = checkFile;
  crashCount = 0;
  steps = 0;
  lives: number;
  /** The last fact that the latest decision knew. A later command may be handled later. */
  decidedSeq = 0;
  /** The value of `decidedSeq` once the facts of the current decision are written. */
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

  /** The latest state that an owner saved; may be some facts behind. */
  get snapshot(): Loop {
    return this.loops.snapshotOf(this.loopId) ?? idle;
  }

  /** Shows new durable facts to the oracle. */
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

  /** Sends commands from people; the oracle checks the answers. */
  send(commands: readonly LoopCommand[]): void {
    for (const command of commands) {
      this.note(() => `-- somebody sends ${command.id}: ${command.command}`);
      const judge = (answer: Answer) => this.oracle.answered(this, command, answer);
      // The oracle stores the violation it finds.
      this.people.commands
        .send(this.loopId, command)
        .then(judge)
        .catch(() => {});
    }
  }

  /** Fills the disk, or frees space on it. */
  setTrouble(isFull: boolean): void {
    this.troubleSeq = isFull ? this.disk.length : undefined;
    this.note(() => (isFull ? '-- the disk is full' : '-- the disk has room'));
    this.loops.setTrouble(isFull ? { code: 'DISK_FULL', message: 'The disk is full. Free some space.' } : undefined);
  }

  /** A decision was made from everything on disk; it leads to this many facts. */
  decided(factCount: number): void {
    this.#decidingSeq = this.disk.length + factCount;
    if (factCount === 0) this.decidedSeq = this.#decidingSeq;
  }

  /** The loop as recorded on disk, replayed from the start or from a snapshot. */
  replay(from: Loop): Loop {
    return this.disk.slice(from.journal.seq).reduce(this.rules.evolve, from);
  }

  /** Occasionally sets the clock, or suspends the machine. */
  mayWarp(): void {
    if (!this.chance.chance(0.05)) return;
    this.clock.jump(this.chance.pick([-86_400_000, -3_600_000, -5_000, 60_000, 9 * 3_600_000]));
  }

  startAgent(name: string): void {
    this.oracle.agentStarts(this, name);
    this.agents.add(name);
  }

  /** Gives the oracle the truth about a run that is about to be recorded. */
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
    if (type === 'loop_hooks.finished') bump(this.finishedHooks, `${this.loop.position.iteration} ${data.point}`);
    if (type === 'gate.finished') bump(this.finishedGates, data.iteration);
    // Only the user can change the file between accepting it and this fact.
    if (type === 'gate.accepted') this.accepted = this.check;
    if (type === 'reboot.finished') this.finishedReboots += 1;
    if (type === 'loop.paused') this.pauses += 1;
    if (type === 'baseline.finished') this.finishedBaselines += 1;
  }
}

function bump<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
